import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, expect, test } from 'vitest';

import type { TableViews } from '@/ipc/bindings';
import { clearMocks, mockIPC } from '@/ipc/mocks';
import { appState } from '@/test/samples';
import { useTable } from './useTable';
import { useTableViews } from './useTableViews';

const filter = { path: 'code', test: { is: 'contains' as const, text: 'x' } };
const filteredViews: TableViews = {
  last: { columns: [], sort: [{ path: 'code', descending: true }], filters: [filter], spans: 'clock' },
  named: [],
  chosen: null,
};
let stored: TableViews[] = [];
let known: TableViews['named'][] = [];
let read: TableViews = filteredViews;

beforeEach(() => {
  [stored, known, read] = [[], [], filteredViews];
  mockIPC((command, args) => {
    if (command === 'app_state') return appState(true);
    if (command === 'browse_views') return read;
    if (command === 'browse_views_save') {
      const saved = args as { views: TableViews; known: TableViews['named'] };
      stored.push(saved.views);
      known.push(saved.known);
    }
    return null;
  });
});
afterEach(clearMocks);

async function table(fresh = false, client = new QueryClient()) {
  const wrapper = ({ children }: { children: ReactNode }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>;
  const hook = renderHook(
    () => {
      const { views, store: keep } = useTableViews('materials.list', fresh);
      return useTable(views ?? { last: null, named: [], chosen: null }, keep, '');
    },
    { wrapper },
  );
  await waitFor(() => expect(hook.result.current.view.spans).toBe('clock'));
  return hook;
}

test('views are saved, chosen, renamed and deleted by name', async () => {
  const { result, unmount } = await table();
  act(() => result.current.saveAs('Night'));
  act(() => result.current.filter('code', null));
  await waitFor(() => expect(result.current.view.filters).toEqual([]));
  act(() => result.current.choose('Night'));
  await waitFor(() => expect(result.current.view).toEqual(filteredViews.last));
  expect(result.current.applied?.view).toEqual(filteredViews.last);
  act(() => result.current.rename('Night', 'Late'));
  await waitFor(() => expect([result.current.chosen, result.current.named.map(({ name }) => name)]).toEqual(['Late', ['Late']]));
  act(() => result.current.choose(null));
  await waitFor(() => expect(result.current.view).toEqual({ columns: [], sort: [], filters: [], spans: 'words' }));
  act(() => result.current.remove('Late'));
  await waitFor(() => expect(result.current.named).toEqual([]));
  unmount();
  expect(stored.at(-1)).toMatchObject({ named: [], chosen: null });
});

test('what a colleague saved meanwhile is seen with the next look, and what differs from what was seen is told', async () => {
  const client = new QueryClient();
  const { result, unmount } = await table(false, client);
  act(() => result.current.filter('code', null));
  await waitFor(() => expect(result.current.view.filters).toEqual([]));
  unmount();
  expect(known).toEqual([[]]);
  const theirs = { name: 'Late', view: { ...filteredViews.last!, sort: [] } };
  read = { ...filteredViews, named: [theirs] };
  const again = await table(false, client);
  await waitFor(() => expect(again.result.current.named).toEqual([theirs]));
  expect(again.result.current.view.filters, 'how it looks is the own').toEqual([]);
  act(() => again.result.current.saveAs('Mine'));
  act(() => again.result.current.remove('Late'));
  await waitFor(() => expect(again.result.current.named.map(({ name }) => name)).toEqual(['Mine']));
  again.unmount();
  expect(known.at(-1)).toEqual([theirs]);
  expect(stored.at(-1)?.named.map(({ name }) => name)).toEqual(['Mine']);
});

test('whoever was sent to certain rows sees them in spite of earlier filters', async () => {
  const { result } = await table(true);
  expect(result.current.view.filters).toEqual([]);
  expect(result.current.arrangement.sort).toEqual(filteredViews.last?.sort);
  const other = { path: 'family', test: { is: 'filled' as const } };
  act(() => result.current.filter('family', other));
  await waitFor(() => expect(result.current.view.filters).toEqual([other]));
});
