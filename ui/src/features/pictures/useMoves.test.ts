import { expect, test } from 'vitest';

import type { PictureView, SpansView } from '@/ipc/bindings';
import { placedMoves } from './useMoves';

const drawn: SpansView = {
  lanes: ['S-1', 'S-2'],
  tracks: [1, 1],
  rows: [7, 8],
  lane: [0, 1],
  track: [0, 0],
  label: ['A', 'B'],
  firstBegin: [10, 20],
  firstEnd: [15, 25],
  secondBegin: [null, null],
  secondEnd: [null, null],
  standing: ['fine', 'fine'],
  status: [0, 0],
  statuses: [''],
  unplanned: [],
  unplannedLabel: [],
} satisfies Partial<Extract<PictureView['drawn'], { shape: 'spans' }>>;

test('moved bars are found again by what they are called, the last move of each', () => {
  const steps = [
    { label: 'B', begin: 1_000, end: 6_000, lane: 'S-2' },
    { label: 'B', begin: 2_000, end: 7_000, lane: 'S-1' },
    { label: 'Z', begin: 0, end: 1, lane: 'S-1' },
  ];
  const { all, elsewhere, absent } = placedMoves(drawn, steps);
  expect([...all]).toEqual([[8, { begin: 2_000, end: 7_000, lane: 0 }]]);
  expect([...elsewhere]).toEqual([8]);
  expect(absent).toBe(1);
});

test('what the service has meanwhile as it was moved, is moved no more', () => {
  expect(placedMoves(drawn, [{ label: 'A', begin: 10_000, end: 15_000, lane: 'S-1' }]).all.size).toBe(0);
  expect(placedMoves(drawn, [{ label: 'A', begin: 10_000, end: 15_000, lane: 'S-2' }]).all.size).toBe(1);
});
