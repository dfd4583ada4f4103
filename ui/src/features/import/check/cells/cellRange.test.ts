import { expect, test } from 'vitest';

import { rangeBetween, rowBounds, cellCount, isInRange } from './cellRange';

test('a block is the same, whichever corner it was begun at, and follows the columns as they stand', () => {
  const range = rangeBetween([4, 1, 2], { index: 7, column: 2 }, { index: 3, column: 4 });
  expect(rowBounds(range)).toEqual([3, 7]);
  expect(range.columns).toEqual([4, 1, 2]);
  expect(cellCount(range)).toBe(15);
  expect(isInRange(range, 1, 5)).toBe(true);
  expect(isInRange(range, 3, 5)).toBe(false);
  expect(isInRange(range, 1, 8)).toBe(false);
  expect(isInRange(null, 1, 8)).toBe(false);
});
