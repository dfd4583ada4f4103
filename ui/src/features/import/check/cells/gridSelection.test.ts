import { expect, test } from 'vitest';

import type { Actions } from './actions';
import { cellCount } from './cellRange';
import { GridSelection } from './gridSelection';

test('the focus begins a block, and what extends it leaves the focus where it is', () => {
  const shared = new GridSelection();
  shared.update({ order: [0, 1, 2, 3] });
  expect(shared.begin({ index: 4, column: 2 })?.columns).toEqual([2]);
  expect(shared.extend({ index: 9, column: 1 }).columns).toEqual([1, 2]);
  expect(shared.extend({ index: 2, column: 3 })).toEqual({ anchor: { index: 4, column: 2 }, head: { index: 2, column: 3 }, columns: [2, 3] });
  expect(shared.begin({ index: 4, column: 2 })).toBeUndefined();
  expect(shared.begin({ index: 5, column: 2 })?.columns).toEqual([2]);
});

test('what a key does is for the cells that are chosen at that moment', () => {
  const shared = new GridSelection();
  shared.update({ order: [0, 1], actionsOf: (range) => ({ count: range ? cellCount(range) : 0 }) as Actions });
  shared.begin({ index: 0, column: 0 });
  expect(shared.actions?.count).toBe(1);
  shared.extend({ index: 2, column: 1 });
  expect(shared.actions?.count).toBe(6);
});
