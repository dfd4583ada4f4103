import { MantineProvider } from '@mantine/core';
import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';

import { operation } from '@/test/samples';
import { OperationCall } from './OperationCall';
import styles from './provenance.module.css';

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
