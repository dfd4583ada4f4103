import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { startWords } from '@/base/words';
import { clearMocks, mockIPC, mockWindows } from '@/ipc/mocks';
import type { MovedBar, Picture, Problem } from '@/ipc/bindings';
import { appState, operation } from '@/test/samples';
import { useMoves } from './useMoves';

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
const bar: MovedBar = { label: 'WO-1 · 010', to: place, from: place };
const plan = { id: 'plan', draw: { kind: 'plan', moves: { operation: 'work-orders.planning-dates', begin: 'b', end: 'e', lane: null } } } as unknown as Picture;

let stored: MovedBar[] | null = null;
let calls: string[] = [];

beforeAll(startWords);
beforeEach(() => {
  stored = null;
  calls = [];
  mockWindows('main');
  mockIPC((command, given) => {
    calls.push(command);
    if (command === 'app_state') return appState(true);
    if (command === 'store_moved_bars') stored = (given as { bars: MovedBar[] }).bars;
    if (command !== 'moved_bars') return null;
    if (stored === null) throw unreadable;
    return stored;
  });
});
afterEach(clearMocks);

function moves() {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={queries}>
      <MantineProvider>{children}</MantineProvider>
    </QueryClientProvider>
  );
  return renderHook(() => useMoves(operation(), plan), { wrapper });
}

test('moves that cannot be read are told, and nothing is stored in their place before they are discarded', async () => {
  const { result } = moves();
  await waitFor(() => expect(result.current.problem?.details).toBe('invalid type: map'));
  expect(result.current.can).toBeNull();
  result.current.drop({ label: bar.label } as never, { begin: 1, end: 2, lane: 0 }, ['Press']);
  result.current.undo();
  expect(calls).not.toContain('store_moved_bars');
  result.current.clear();
  await waitFor(() => expect(result.current.problem).toBeNull());
  expect(stored).toEqual([]);
  await waitFor(() => expect(result.current.can).not.toBeNull());
});

test('moves that can be read are no problem', async () => {
  stored = [bar];
  const { result } = moves();
  await waitFor(() => expect(result.current.steps).toEqual([bar]));
  expect(result.current.problem).toBeNull();
});
