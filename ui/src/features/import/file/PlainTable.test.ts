import { expect, test } from 'vitest';

import { columnLetters } from './PlainTable';

test('columns are lettered as in Excel', () => {
  expect([0, 25, 26, 701, 702, 16_383].map(columnLetters)).toEqual(['A', 'Z', 'AA', 'ZZ', 'AAA', 'XFD']);
});
