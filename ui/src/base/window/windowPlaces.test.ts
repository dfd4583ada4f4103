import { expect, test } from 'vitest';

import type { Place } from '@/base/navigation';
import type { WindowView } from '@/ipc/bindings';
import { fromMainPlace, isWithin, placeOf, toMainPlace, viewOf } from './windowPlaces';

const list: WindowView = { kind: 'list', operation: 'work-orders.list', parameters: { code: 'A-1' }, find: 'press' };
const floor: WindowView = { kind: 'floor', station: null };

test('a window begins with what it was opened for', () => {
  for (const view of [list, floor, { kind: 'floor', station: 'S-1' } as const]) expect(viewOf(placeOf(view))).toEqual(view);
});

test('stations, and filters of the same list, stay in the window; every other page is shown in the main window', () => {
  expect(isWithin(floor, { page: 'events', tab: 'floor', station: 'S-1' })).toBe(true);
  expect(isWithin(list, { page: 'browse', operation: 'work-orders.list', parameters: { code: 'A-2' } })).toBe(true);
  const others: Place[] = [{ page: 'browse', operation: 'materials.list' }, { page: 'order', code: 'A-1' }, { page: 'events', tab: 'list' }, { page: 'settings' }];
  for (const place of others) {
    expect(isWithin(list, place)).toBe(false);
    expect(isWithin(floor, place)).toBe(false);
  }
});

test('what is handed over to the main window arrives there as it was', () => {
  const places: Place[] = [
    { page: 'order', code: 'A-1' },
    { page: 'events', tab: 'list', event: 7 },
    { page: 'browse', operation: 'materials.list', parameters: { code: 'M-1' }, find: undefined },
  ];
  for (const place of places) expect(fromMainPlace(toMainPlace(place))).toEqual(place);
  expect(fromMainPlace(toMainPlace({ page: 'settings' }))).toBeNull();
});
