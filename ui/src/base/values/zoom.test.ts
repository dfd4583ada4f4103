import { expect, test } from 'vitest';

import { zoomed } from './zoom';

test('zoom goes by steps and ends at either end', () => {
  expect([zoomed(undefined, 1), zoomed(100, -1), zoomed(105, 1), zoomed(105, -1)]).toEqual([110, 90, 110, 100]);
  expect([zoomed(200, 1), zoomed(70, -1)]).toEqual([200, 70]);
});
