import { expect, test } from 'vitest';

import type { SpansView, WeekView } from '@/ipc/bindings';
import { conflictsOf } from './conflicts';

const hour = 3600;
/** Times are in seconds since midnight on Thursday, 1 January 1970, in the site's local time. */
const orders: SpansView = {
  lanes: ['S-1', 'S-2'],
  tracks: [1, 1],
  rows: [0, 1, 2, 3],
  lane: [0, 0, 0, 1],
  track: [0, 0, 0, 0],
  label: ['A', 'B', 'C', 'D'],
  firstBegin: [8, 10, 6, 8].map((at) => at * hour),
  firstEnd: [9, 11, 7, 9].map((at) => at * hour),
  secondBegin: [null, null, 6 * hour, null],
  secondEnd: [null, null, 7 * hour, null],
  standing: ['fine', 'fine', 'fine', 'fine'],
  status: [0, 0, 0, 0],
  statuses: [''],
  unplanned: [],
  unplannedLabel: [],
};
const week: WeekView = {
  lanes: ['S-1', 'S-2'],
  labels: ['', ''],
  rows: [0, 1],
  shiftLane: [0],
  shiftDay: [4],
  shiftBegin: [6 * 60],
  shiftEnd: [14 * 60],
  shiftName: [0],
  stoppageLane: [0],
  stoppageBegin: [12 * hour],
  stoppageEnd: [13 * hour],
  stoppageName: [1],
  stoppageStatus: [0],
  names: ['Early', 'Cleaning'],
};

function conflictTexts(begin: number, end: number, lane = 0, other = new Map<number, { begin: number; end: number; lane: number }>()): string[] {
  const moves = new Map([[0, { begin: begin * hour * 1000, end: end * hour * 1000, lane }], ...other]);
  return conflictsOf(orders, week, moves, 0).map((one) => `${one.moved} ${one.kind} ${one.other} ${one.lane}`.replace('  ', ' '));
}

test('a moved bar is told where it lies over what is planned, over a stoppage or outside a shift', () => {
  expect(conflictTexts(11, 12)).toEqual([]);
  // Orders that have ended aren't compared.
  expect(conflictTexts(6, 7)).toEqual([]);
  expect(conflictTexts(10.5, 11.5)).toEqual(['A order B S-1']);
  expect(conflictTexts(11, 12.5)).toEqual(['A stoppage Cleaning S-1']);
  expect(conflictTexts(13, 15)).toEqual(['A offShift S-1']);
  // The shifts of the other station are unknown.
  expect(conflictTexts(8.5, 20, 1)).toEqual(['A order D S-2']);
});

test('two moved bars in the way of each other are told once', () => {
  const other = new Map([[1, { begin: 8 * hour * 1000, end: 9 * hour * 1000, lane: 0 }]]);
  expect(conflictTexts(8.5, 9.5, 0, other)).toEqual(['A order B S-1']);
});
