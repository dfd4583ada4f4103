import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { initTranslations } from '@/base/words';
import { clearMocks, mockIPC, mockWindows } from '@/ipc/mocks';
import type { MovedBar, Picture, PictureView, Problem, SpansView } from '@/ipc/bindings';
import { appState, operation } from '@/test/samples';
import { placeMoves, useMoves } from './useMoves';

const unreadable: Problem = {
  code: 'journal-damaged',
  message: '',
  hint: '',
  parameters: { case: 'moved-bars' },
  reasons: [],
  logId: null,
  details: 'invalid type: map',
};
const place = { begin: 0, end: 3_600_000, lane: 'Press' };
const movedBar: MovedBar = { label: 'WO-1 · 010', to: place, from: place };
const plan = { id: 'plan', draw: { kind: 'plan', moves: { operation: 'work-orders.planning-dates', begin: 'b', end: 'e', lane: null } } } as unknown as Picture;

let stored: MovedBar[] | null = null;
let calls: string[] = [];

beforeAll(initTranslations);
beforeEach(() => {
  stored = null;
  calls = [];
  mockWindows('main');
  mockIPC((command, args) => {
    calls.push(command);
    if (command === 'app_state') return appState(true);
    if (command === 'store_moved_bars') stored = (args as { bars: MovedBar[] }).bars;
    if (command !== 'moved_bars') return null;
    if (stored === null) throw unreadable;
    return stored;
  });
});
afterEach(clearMocks);

function renderMoves() {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={queries}>
      <MantineProvider>{children}</MantineProvider>
    </QueryClientProvider>
  );
  return renderHook(() => useMoves(operation(), plan), { wrapper });
}

test('moves that cannot be read are told, and nothing is stored in their place before they are discarded', async () => {
  const { result } = renderMoves();
  await waitFor(() => expect(result.current.problem?.details).toBe('invalid type: map'));
  expect(result.current.rules).toBeNull();
  result.current.drop({ label: movedBar.label } as never, { begin: 1, end: 2, lane: 0 }, ['Press']);
  result.current.undo();
  expect(calls).not.toContain('store_moved_bars');
  result.current.clear();
  await waitFor(() => expect(result.current.problem).toBeNull());
  expect(stored).toEqual([]);
  await waitFor(() => expect(result.current.rules).not.toBeNull());
});

test('moves that can be read are no problem', async () => {
  stored = [movedBar];
  const { result } = renderMoves();
  await waitFor(() => expect(result.current.steps).toEqual([movedBar]));
  expect(result.current.problem).toBeNull();
});

const spansView: SpansView = {
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
  const { byPosition, changedLanes, undrawnCount, changed, applied } = placeMoves(spansView, steps);
  expect([...byPosition]).toEqual([[8, { begin: 2_000, end: 7_000, lane: 0 }]]);
  expect([...changedLanes]).toEqual([8]);
  expect([undrawnCount, changed, applied]).toEqual([1, [], []]);
});

test('what the service has meanwhile as it was moved, is moved no more', () => {
  const moved = (lane: string) => placeMoves(spansView, [{ label: 'A', to: { begin: 10_000, end: 15_000, lane }, from: { begin: 1_000, end: 6_000, lane: 'S-1' } }]);
  expect([moved('S-1').byPosition.size, moved('S-1').applied]).toEqual([0, ['A']]);
  expect([moved('S-2').byPosition.size, moved('S-2').applied]).toEqual([1, []]);
});

test('what the service has elsewhere than when it was moved is named', () => {
  const to = { begin: 1_000, end: 6_000, lane: 'S-1' };
  for (const other of [{ ...from, begin: 21_000 }, { ...from, end: 26_000 }, { ...from, lane: 'S-1' }]) {
    const { byPosition, changed } = placeMoves(spansView, [{ label: 'B', to, from: other }]);
    expect([byPosition.size, changed]).toEqual([1, ['B']]);
  }
  expect(placeMoves(spansView, [{ label: 'B', to, from }]).changed).toEqual([]);
});

test('a bar whose new station isn’t drawn is counted among those that aren’t there', () => {
  const { byPosition, undrawnCount } = placeMoves(spansView, [{ label: 'B', to: { ...from, lane: 'S-9' }, from }]);
  expect([byPosition.size, undrawnCount]).toEqual([0, 1]);
});
