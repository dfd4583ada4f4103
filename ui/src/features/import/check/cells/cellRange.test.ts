import { expect, test } from 'vitest';

import { rangeBetween, bounds, cellCount, contains } from './cellRange';

test('a block is the same, whichever corner it was begun at, and follows the columns as they stand', () => {
  const range = rangeBetween([4, 1, 2], { index: 7, column: 2 }, { index: 3, column: 4 });
  expect(bounds(range)).toEqual([3, 7]);
  expect(range.columns).toEqual([4, 1, 2]);
  expect(cellCount(range)).toBe(15);
  expect(contains(range, 1, 5)).toBe(true);
  expect(contains(range, 3, 5)).toBe(false);
  expect(contains(range, 1, 8)).toBe(false);
  expect(contains(null, 1, 8)).toBe(false);
});
