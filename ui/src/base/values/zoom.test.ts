import { expect, test } from 'vitest';

import { nextZoom } from './zoom';

test('zoom goes by steps and ends at either end', () => {
  expect([nextZoom(undefined, 1), nextZoom(100, -1), nextZoom(105, 1), nextZoom(105, -1)]).toEqual([110, 90, 110, 100]);
  expect([nextZoom(200, 1), nextZoom(70, -1)]).toEqual([200, 70]);
});
