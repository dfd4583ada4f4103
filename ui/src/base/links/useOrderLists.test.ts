import { expect, test } from 'vitest';

import { extractOrders } from './useOrderLists';

test('a key names the order at its place, and none where a part that it needs is empty', () => {
  expect(extractOrders('WO-1 · 010', [0], 2)).toEqual(['WO-1']);
  expect(extractOrders('I-1 · 010 · WO-1', [2], 2)).toEqual(['WO-1']);
  expect(extractOrders('I-1 · 010', [2], 2)).toEqual([]);
  expect(extractOrders('010', [0], 2)).toEqual([]);
});
