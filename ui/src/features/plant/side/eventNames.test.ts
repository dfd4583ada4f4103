import { expect, test } from 'vitest';

import type { Value } from '@/ipc/bindings';
import contract from '../../../../../src-tauri/crates/takt-contract/contract/takt.openapi.json';
import { eventNames } from './eventNames';

test('the twelve events have their names from the contract', () => {
  const events = eventNames(contract as unknown as Value);
  expect(events.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(events[2]?.names.de).toBe('Produktion begonnen');
  expect(eventNames(null)).toEqual([]);
});
