import { expect, test } from 'vitest';

import type { SpansView } from '@/ipc/bindings';
import { alertBoard } from './alertBoard';
import type { Board } from './board';
import { planBoard } from './planBoard';

const hour = 3600;
const now = 12 * hour;

/** Returns bars of one lane. Each has a planned and an actual begin and end, in hours. */
function spansView(bars: readonly (readonly (number | null)[])[], standing: SpansView['standing']): SpansView {
  const hours = (at: number) => bars.map((bar) => (typeof bar[at] === 'number' ? bar[at] * hour : null));
  const zeros = bars.map(() => 0);
  return {
    lanes: ['S-1'],
    tracks: [bars.length],
    rows: bars.map((_, at) => at),
    lane: zeros,
    track: bars.map((_, at) => at),
    label: bars.map((_, at) => `WO-${at}`),
    firstBegin: hours(0),
    firstEnd: hours(1),
    secondBegin: hours(2),
    secondEnd: hours(3),
    standing,
    status: zeros,
    statuses: ['In execution'],
    unplanned: [],
    unplannedLabel: [],
  };
}

/** Returns an item's last box: its begin and end in hours, and whether its end is open. */
function lastBox({ boxes, looks }: Board, item: number): unknown[] {
  const found = boxes.item.map((of, at) => ({ of, at })).filter(({ of }) => of === item);
  const at = found.at(-1)?.at ?? -1;
  return [(boxes.begin[at] ?? 0) / hour / 1000, (boxes.end[at] ?? 0) / hour / 1000, looks[boxes.look[at] ?? -1]?.open ?? false];
}

test('what has begun and not ended is drawn until now, with an open end', () => {
  const orders = spansView(
    [
      [6, 14, 7, null],
      [6, 10, 7, null],
      [6, 8, 7, 9],
      [11, 16, 13, null],
    ],
    ['fine', 'overdue', 'late', 'fine'],
  );
  const board = planBoard(orders, now * 1000, null, new Map(), { none: '', standing: (one) => one });
  expect([0, 1, 2, 3].map((at) => lastBox(board, at))).toEqual([
    [7, 12, true],
    [7, 12, true],
    [7, 9, false],
    // The station's clock is ahead, so this running bar begins after now and has no length.
    [13, 13, true],
  ]);
  const looks = [0, 1].map((at) => board.looks[board.boxes.look[board.boxes.item.lastIndexOf(at)] ?? -1]?.fill);
  expect(looks).toEqual(['accent', 'bad']);
});

test('an alert that nobody closed is open, too', () => {
  const board = alertBoard(
    spansView(
      [
        [6, null, null, null],
        [6, 7, 7, null],
        [6, 7, 7, 8],
      ],
      ['fine', 'fine', 'fine'],
    ),
    now * 1000,
    '',
  );
  expect([0, 1, 2].map((at) => lastBox(board, at))).toEqual([
    [6, 12, true],
    [7, 12, true],
    [7, 8, false],
  ]);
});
