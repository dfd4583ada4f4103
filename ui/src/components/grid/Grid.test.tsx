import { render, screen, within } from '@testing-library/react';
import { afterEach, beforeAll, expect, test } from 'vitest';

import { PreferencesProvider } from '@/base/preferences';
import { initTranslations } from '@/base/words';
import { cleanUp } from '@/test/cleanup';
import { Grid, PlainGrid } from './Grid';

beforeAll(initTranslations);
afterEach(cleanUp);

test.each([
  ['with React', Grid],
  ['without React', PlainGrid],
])('a grid %s shows a picture if it has no rows', async (_, Shown) => {
  render(
    <PreferencesProvider first={{ language: 'en', look: 'light', density: 'compact' }}>
      <Shown label="Rows" testId="grid" columns={[{ headerName: 'Name' }]} options={{ rowData: [] }} />
    </PreferencesProvider>,
  );
  const grid = within(screen.getByTestId('grid'));
  const sentence = await grid.findByText('No rows');
  expect(sentence.parentElement?.querySelector('svg')?.dataset['picture']).toBe('search');
});
