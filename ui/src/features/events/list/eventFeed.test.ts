// @vitest-environment jsdom
import type { GridApi } from 'ag-grid-community';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { EMPTY_FILTER, toEventQuery } from '@/base/eventFilter';
import type { EventLine } from '@/ipc/bindings';
import { mockIPC } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { EventFeed } from './eventFeed';

afterEach(cleanUp);

let requests: { upTo: number | null; offset: number }[] = [];
let total = 3;

beforeEach(() => {
  requests = [];
  total = 3;
  mockIPC((command, args) => {
    if (command !== 'event_list') return null;
    const { query, offset, limit } = args as { query: { upTo: number | null }; offset: number; limit: number };
    requests.push({ upTo: query.upTo, offset });
    const newest = query.upTo ?? total;
    const rows = Array.from({ length: newest }, (_, at) => ({ id: newest - at })).slice(offset, offset + limit);
    return { total: newest, offset, rows, unread: 0 };
  });
});

/** A fake of the grid's API that the feed uses. */
function grid(feed: EventFeed): { shown: () => number[]; api: GridApi<EventLine> } {
  let rows: { id: number }[] = [];
  const load = () =>
    feed.source.getRows({
      startRow: 0,
      endRow: 200,
      successCallback: (came: { id: number }[]) => (rows = came),
      failCallback: () => undefined,
    } as never);
  const api = {
    isDestroyed: () => false,
    refreshInfiniteCache: load,
    purgeInfiniteCache: load,
    getDisplayedRowCount: () => rows.length,
    getDisplayedRowAtIndex: (at: number) => (rows[at] ? { data: rows[at] } : undefined),
    getRowNode: (id: string) => {
      const at = rows.findIndex((row) => String(row.id) === id);
      return at < 0 ? undefined : { rowIndex: at };
    },
    ensureIndexVisible: () => undefined,
    deselectAll: () => undefined,
  };
  return { shown: () => rows.map(({ id }) => id), api: api as unknown as GridApi<EventLine> };
}

test('at the top the list follows; while one event is looked at it stands still and counts', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const feed = new EventFeed();
  const { shown, api } = grid(feed);
  feed.ready(api);
  feed.startQuery(toEventQuery(EMPTY_FILTER, 'practice', null), true);
  await vi.waitFor(() => expect(shown()).toEqual([3, 2, 1]));
  total = 4;
  feed.onEvent();
  feed.onEvent();
  await vi.advanceTimersByTimeAsync(500);
  expect(shown()).toEqual([4, 3, 2, 1]);
  feed.look(true);
  total = 6;
  feed.onEvent();
  await vi.advanceTimersByTimeAsync(500);
  expect(shown()).toEqual([4, 3, 2, 1]);
  expect(feed.state.newEvents).toBe(2);
  expect([feed.turn(4, 1), feed.turn(4, -1), feed.turn(1, 1), feed.turn(99, 1)]).toEqual([3, undefined, undefined, undefined]);
  feed.follow();
  await vi.advanceTimersByTimeAsync(10);
  expect([shown()[0], feed.state.newEvents]).toEqual([6, 0]);
  feed.scrolled(false);
  feed.look(false);
  total = 7;
  feed.onEvent();
  await vi.advanceTimersByTimeAsync(500);
  expect([shown()[0], feed.state.newEvents]).toEqual([6, 1]);
  feed.scrolled(true);
  await vi.advanceTimersByTimeAsync(10);
  expect([shown()[0], feed.state.newEvents]).toEqual([7, 0]);
  vi.useRealTimers();
});
