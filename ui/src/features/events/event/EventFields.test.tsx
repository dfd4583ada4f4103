import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import { afterEach, beforeAll, expect, test } from 'vitest';

import { NavigationProvider } from '@/base/navigation';
import { PreferencesProvider } from '@/base/preferences';
import { queryClient } from '@/base/queryClient';
import { theme } from '@/base/style/theme';
import { initTranslations } from '@/base/words';
import type { Field } from '@/ipc/bindings';
import { cleanUp } from '@/test/cleanup';
import { EventFields } from './EventFields';

beforeAll(initTranslations);
afterEach(cleanUp);

function field(name: string, kind: Field['kind'], fields: Field[] = []): Field {
  const limits = { minimum: null, exclusiveMinimum: null, maximum: null, maxLength: null, values: [] };
  const names = { en: '', de: '', es: '', pt: '' };
  const provenance = { level: 'specified', source: '' } as Field['provenance'];
  return { name, kind, required: false, nullable: true, names, synonyms: [], limits, example: null, provenance, refersTo: null, sense: [], fields };
}

test('what is absent, null and empty is told apart, and unknown members are shown', () => {
  const fields = [field('A', 'text'), field('B', 'text'), field('C', 'text'), field('D', 'list', [field('E', 'text')]), field('F', 'list', [field('G', 'text')])];
  const row = { B: null, C: '', D: [], F: [{ G: 'WO-7', H: 1 }] };
  const rendered = render(
    <QueryClientProvider client={queryClient}>
      <PreferencesProvider first={{ language: 'en', look: 'light', density: 'compact' }}>
        <MantineProvider theme={theme}>
          <NavigationProvider>
            <EventFields fields={fields} row={row} orders={['WO-7']} />
          </NavigationProvider>
        </MantineProvider>
      </PreferencesProvider>
    </QueryClientProvider>,
  );
  const textOfMember = (member: string) => rendered.container.querySelector(`[data-member="${member}"]`)?.textContent;
  expect(['A', 'B', 'C', 'D'].map(textOfMember)).toEqual(['not sent', 'null', 'empty text', 'empty list']);
  expect(rendered.getByTestId('order-WO-7')).toBeTruthy();
  expect(rendered.getByTestId('event-unknown').textContent).toContain('H');
});
