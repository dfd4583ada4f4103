import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

import { type Place, EVENT_TABS, INTEGRATION_TABS, NAVIGATION_ENTRIES, placeOf } from '@/base/navigation';
import { steps } from '@/features/import-session';
import { helpPageOf } from './TopBar';

const helpPages = new Set(readdirSync(fileURLToPath(new URL('../../../docs/help/en', import.meta.url))).map((file) => file.replace('.md', '')));

it('has a page for every place of the window', () => {
  const places: Place[] = [
    ...NAVIGATION_ENTRIES.map(placeOf),
    ...EVENT_TABS.map((tab): Place => ({ page: 'events', tab })),
    ...INTEGRATION_TABS.map((tab): Place => ({ page: 'integrations', tab })),
    { page: 'order', code: 'O1' },
    { page: 'settings', contract: 'North' },
  ];
  const usedPages = [...places.map((place) => helpPageOf(place, null)), ...steps.map((step) => helpPageOf({ page: 'import' }, step))];
  expect(usedPages.filter((page) => !helpPages.has(page))).toEqual([]);
  expect(new Set(usedPages).size).toBe(usedPages.length - 3);
});
