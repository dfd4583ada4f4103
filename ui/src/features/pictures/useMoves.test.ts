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

const from = { begin: 20_000, end: 25_000, lane: 'S-2' };

test('moved bars are found again by what they are called, the last move of each', () => {
  const steps = [
    { label: 'B', to: { begin: 1_000, end: 6_000, lane: 'S-2' }, from },
    { label: 'B', to: { begin: 2_000, end: 7_000, lane: 'S-1' }, from },
    { label: 'Z', to: { begin: 0, end: 1, lane: 'S-1' }, from },
  ];
  const { all, elsewhere, absent, changed, settled } = placedMoves(drawn, steps);
  expect([...all]).toEqual([[8, { begin: 2_000, end: 7_000, lane: 0 }]]);
  expect([...elsewhere]).toEqual([8]);
  expect([absent, changed, settled]).toEqual([1, [], []]);
});

test('what the service has meanwhile as it was moved, is moved no more', () => {
  const moved = (lane: string) => placedMoves(drawn, [{ label: 'A', to: { begin: 10_000, end: 15_000, lane }, from: { begin: 1_000, end: 6_000, lane: 'S-1' } }]);
  expect([moved('S-1').all.size, moved('S-1').settled]).toEqual([0, ['A']]);
  expect([moved('S-2').all.size, moved('S-2').settled]).toEqual([1, []]);
});

test('what the service has elsewhere than when it was moved is named', () => {
  const to = { begin: 1_000, end: 6_000, lane: 'S-1' };
  for (const other of [{ ...from, begin: 21_000 }, { ...from, end: 26_000 }, { ...from, lane: 'S-1' }]) {
    const { all, changed } = placedMoves(drawn, [{ label: 'B', to, from: other }]);
    expect([all.size, changed]).toEqual([1, ['B']]);
  }
  expect(placedMoves(drawn, [{ label: 'B', to, from }]).changed).toEqual([]);
});

test('a bar whose new station isn’t drawn is counted among those that aren’t there', () => {
  const { all, absent } = placedMoves(drawn, [{ label: 'B', to: { ...from, lane: 'S-9' }, from }]);
  expect([all.size, absent]).toEqual([0, 1]);
});
