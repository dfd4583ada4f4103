import { expect, test } from 'vitest';

import { bounds, contains } from './cellRange';

test('a range is the same, whichever end it was begun at', () => {
  expect(bounds({ column: 1, from: 7, to: 3 })).toEqual([3, 7]);
  expect(contains({ column: 1, from: 7, to: 3 }, 1, 5)).toBe(true);
  expect(contains({ column: 1, from: 7, to: 3 }, 2, 5)).toBe(false);
  expect(contains({ column: 1, from: 7, to: 3 }, 1, 8)).toBe(false);
  expect(contains(null, 1, 8)).toBe(false);
});
