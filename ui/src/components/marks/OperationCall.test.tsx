import { MantineProvider } from '@mantine/core';
import { fireEvent, render, screen } from '@testing-library/react';
import { beforeAll, expect, test } from 'vitest';

import { initTranslations } from '@/base/words';
import { operation } from '@/test/samples';
import { OperationCall } from './OperationCall';
import { Provenance } from './Provenance';
import styles from './provenance.module.css';

beforeAll(() => initTranslations());

test('a method that is specified and a path that is assumed are told apart', () => {
  const statements = [
    { about: 'method' as const, at: '', provenance: { level: 'specified' as const, source: 'Endpoints, other operations' } },
    { about: 'path' as const, at: '', provenance: { level: 'assumed' as const, source: 'path not shown' } },
  ];
  render(
    <MantineProvider>
      <OperationCall operation={{ ...operation(), statements }} />
    </MantineProvider>,
  );
  expect(screen.getByText('POST').closest(`.${styles.assumed}`)).toBeNull();
  expect(screen.getByText('/api/v1/Materials/batch').closest(`.${styles.assumed}`)).not.toBeNull();
});

test('what is assumed of page and limit is said beside the path, keyword by keyword', async () => {
  const keyword = (at: string, source: string) => ({ about: 'keyword' as const, at, provenance: { level: 'assumed' as const, source } });
  const search = { name: 'search', in: 'query', kind: 'text', required: false, names: { en: '', de: '', es: '', pt: '' }, narrows: null, span: null } as const;
  const provenance = { level: 'specified' as const, source: '' };
  const statements = [keyword('limit schema.default', 'not shown'), keyword('search required', 'not shown'), keyword('answer Id format', 'sizes not shown')];
  render(
    <MantineProvider>
      <OperationCall operation={{ ...operation(), parameters: [{ ...search, provenance }], statements }} />
    </MantineProvider>,
  );
  expect(screen.queryByText(/search|answer/u)).toBeNull();
  fireEvent.mouseEnter(screen.getByText('limit').closest(`.${styles.assumed}`) ?? document.body);
  expect(await screen.findByText('Assumed here: limit default (not shown)')).toBeDefined();
});

test('a field that is specified, but not its form, is marked and names the keywords', async () => {
  const provenance = { level: 'specified' as const, source: 'Resources' };
  const assumed = { format: 'sizes not shown', minimum: 'sizes not shown', 'schema.pattern': 'form not shown' };
  render(
    <MantineProvider>
      <Provenance of={{ provenance, assumed }}>Sequence</Provenance>
      <Provenance of={{ provenance, assumed: {} }}>Code</Provenance>
      <Provenance of={{ provenance: { level: 'site', source: '' }, assumed }}>Area</Provenance>
    </MantineProvider>,
  );
  expect(screen.getByText('Code').closest(`.${styles.assumed}`)).toBeNull();
  expect(screen.getByText('Area').closest(`.${styles.assumed}`)).toBeNull();
  fireEvent.mouseEnter(screen.getByText('Sequence'));
  expect(await screen.findByText('Assumed here: format, minimum (sizes not shown) · pattern (form not shown)')).toBeDefined();
});
