import { render, screen } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { PreferencesProvider } from '@/base/preferences';
import { startWords } from '@/base/words';
import { PlanBars } from '@/features/order/PlanBars';
import type { SpansView } from '@/ipc/bindings';
import { clearMocks, mockIPC } from '@/ipc/mocks';
import { alertBoard } from './boards/alertBoard';
import type { Board } from './boards/board';
import { planBoard } from './boards/planBoard';

beforeAll(startWords);
beforeEach(() => mockIPC(() => null));
afterEach(clearMocks);

const hour = 3600;
const now = 12 * hour;

/** Bars of one lane, each with two begins and ends in hours. */
function view(bars: readonly (readonly (number | null)[])[], standing: SpansView['standing']): SpansView {
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

/** The second of an item's boxes: its times in hours, and whether its end is open. */
function drawn({ boxes, looks }: Board, item: number): unknown[] {
  const found = boxes.item.map((of, at) => ({ of, at })).filter(({ of }) => of === item);
  const at = found.at(-1)?.at ?? -1;
  return [(boxes.begin[at] ?? 0) / hour / 1000, (boxes.end[at] ?? 0) / hour / 1000, looks[boxes.look[at] ?? -1]?.open ?? false];
}

test('what has begun and not cleanUp is drawn until now, with an open end', () => {
  const orders = view(
    [
      [6, 14, 7, null],
      [6, 10, 7, null],
      [6, 8, 7, 9],
      [11, 16, 13, null],
    ],
    ['fine', 'overdue', 'late', 'fine'],
  );
  const board = planBoard(orders, now * 1000, null, new Map(), { none: '', standing: (one) => one });
  expect([0, 1, 2, 3].map((at) => drawn(board, at))).toEqual([
    [7, 12, true],
    [7, 12, true],
    [7, 9, false],
    // Begun by a clock that is ahead: its tip stands where it began.
    [13, 13, true],
  ]);
  const looks = [0, 1].map((at) => board.looks[board.boxes.look[board.boxes.item.lastIndexOf(at)] ?? -1]?.fill);
  expect(looks).toEqual(['accent', 'bad']);
});

test('an alert that nobody closed is open, too', () => {
  const board = alertBoard(
    view(
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
  expect([0, 1, 2].map((at) => drawn(board, at))).toEqual([
    [6, 12, true],
    [7, 12, true],
    [7, 8, false],
  ]);
});

test("an order's page draws what is running until now", () => {
  const day = '2026-11-21T';
  const rows = [
    { operation: '10', begin: `${day}06:00:00`, end: `${day}08:00:00`, began: `${day}06:00:00`, cleanUp: `${day}07:00:00` },
    { operation: '20', begin: `${day}07:00:00`, end: `${day}10:00:00`, began: `${day}08:00:00`, cleanUp: null },
  ];
  render(
    <PreferencesProvider first={{ language: 'en', look: 'light', density: 'compact' }}>
      <PlanBars
        rows={rows}
        label={(row) => String(row['operation'])}
        planned={{ begin: 'begin', end: 'end' }}
        real={{ begin: 'began', end: 'ended' }}
        status={null}
        now={`${day}11:00:00`}
      />
    </PreferencesProvider>,
  );
  const bars = [...screen.getByTestId('order-plan').querySelectorAll<HTMLElement>('[data-open]')];
  expect(bars.map((bar) => [bar.dataset['open'], bar.style.left, bar.style.width])).toEqual([
    ['false', '0%', '20%'],
    ['true', '40%', '60%'],
  ]);
  expect(screen.getByTestId('order-plan').textContent).toMatch(/08:00 – now/u);
});
