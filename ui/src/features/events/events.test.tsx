import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import type { GridApi } from 'ag-grid-community';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';

import { emptyFilter, toEventQuery, toFilterKey, toEventFilter, isEmptyFilter } from '@/base/eventFilter';
import { NavigationProvider } from '@/base/navigation';
import { PreferencesProvider } from '@/base/preferences';
import { queryClient } from '@/base/queryClient';
import { theme } from '@/base/style/theme';
import { startWords } from '@/base/words';
import type { EventLine, Field } from '@/ipc/bindings';
import { mockIPC } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { EventFields } from './event/EventFields';
import { hexDump } from './event/hexDump';
import { jsonLayout } from './event/jsonLayout';
import { EventFeed } from './list/eventFeed';

beforeAll(startWords);
afterEach(cleanUp);

test('JSON is laid out with every character of its values as it came', () => {
  expect(jsonLayout('{"a":1.50,"b":[],"c":{ },"d":[1,"x:,{\\"]"]}')).toBe('{\n  "a": 1.50,\n  "b": [],\n  "c": {},\n  "d": [\n    1,\n    "x:,{\\"]"\n  ]\n}');
  expect(jsonLayout('{"big":12345678901234567890,"end":"\\\\"}')).toContain('12345678901234567890');
  for (const broken of ['', '{"a"', ']]]', '"open', '{"a":\\']) expect(() => jsonLayout(broken)).not.toThrow();
});

test('bytes that are no text stand in lines, with what of them is readable', () => {
  expect(hexDump('7b22496422ff003a31')).toBe('000000  7b 22 49 64 22 ff 00 3a  {"Id"..:\n000008  31                       1');
});

test('what is looked for is remembered without what a person left empty', () => {
  expect(isEmptyFilter(toEventFilter({}))).toBe(true);
  expect(isEmptyFilter({ ...emptyFilter, order: '  ' })).toBe(true);
  expect(toFilterKey({ ...emptyFilter, order: ' WO-1 ' })).toBe(toFilterKey({ ...emptyFilter, order: 'WO-1' }));
  expect(toEventQuery({ ...emptyFilter, station: ' WS-04' }, 'practice', 7)).toMatchObject({ station: 'WS-04', order: null, site: 'practice', upTo: 7 });
});

let asked: { upTo: number | null; offset: number }[] = [];
let total = 3;

beforeEach(() => {
  asked = [];
  total = 3;
  mockIPC((command, given) => {
    if (command !== 'event_list') return null;
    const { query, offset, limit } = given as { query: { upTo: number | null }; offset: number; limit: number };
    asked.push({ upTo: query.upTo, offset });
    const newest = query.upTo ?? total;
    const rows = Array.from({ length: newest }, (_, at) => ({ id: newest - at })).slice(offset, offset + limit);
    return { total: newest, offset, rows, unread: 0 };
  });
});

/** As much of a grid as the feed takes. */
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
  feed.ask(toEventQuery(emptyFilter, 'practice', null), true);
  await vi.waitFor(() => expect(shown()).toEqual([3, 2, 1]));
  total = 4;
  feed.hear();
  feed.hear();
  await vi.advanceTimersByTimeAsync(500);
  expect(shown()).toEqual([4, 3, 2, 1]);
  feed.look(true);
  total = 6;
  feed.hear();
  await vi.advanceTimersByTimeAsync(500);
  expect(shown()).toEqual([4, 3, 2, 1]);
  expect(feed.state.fresh).toBe(2);
  expect([feed.turn(4, 1), feed.turn(4, -1), feed.turn(1, 1), feed.turn(99, 1)]).toEqual([3, undefined, undefined, undefined]);
  feed.follow();
  await vi.advanceTimersByTimeAsync(10);
  expect([shown()[0], feed.state.fresh]).toEqual([6, 0]);
  feed.scrolled(false);
  feed.look(false);
  total = 7;
  feed.hear();
  await vi.advanceTimersByTimeAsync(500);
  expect([shown()[0], feed.state.fresh]).toEqual([6, 1]);
  feed.scrolled(true);
  await vi.advanceTimersByTimeAsync(10);
  expect([shown()[0], feed.state.fresh]).toEqual([7, 0]);
  vi.useRealTimers();
});

function field(name: string, kind: Field['kind'], fields: Field[] = []): Field {
  const limits = { minimum: null, exclusiveMinimum: null, maximum: null, maxLength: null, values: [] };
  const names = { en: '', de: '', es: '', pt: '' };
  const provenance = { level: 'specified', source: '' } as Field['provenance'];
  return { name, kind, required: false, nullable: true, names, synonyms: [], limits, example: null, provenance, refersTo: null, sense: [], fields };
}

test('what is absent, null and empty is told apart, and unknown members are shown', () => {
  const fields = [field('A', 'text'), field('B', 'text'), field('C', 'text'), field('D', 'list', [field('E', 'text')]), field('F', 'list', [field('G', 'text')])];
  const row = { B: null, C: '', D: [], F: [{ G: 'WO-7', H: 1 }] };
  const drawn = render(
    <QueryClientProvider client={queryClient}>
      <PreferencesProvider first={{ language: 'en', look: 'light', density: 'compact' }}>
        <MantineProvider theme={theme}>
          <NavigationProvider>
            <EventFields fields={fields} row={row} orders={['WO-7']} />
          </NavigationProvider>
        </MantineProvider>
      </PreferencesProvider>
    </QueryClientProvider>,
  );
  const said = (member: string) => drawn.container.querySelector(`[data-member="${member}"]`)?.textContent;
  expect(['A', 'B', 'C', 'D'].map(said)).toEqual(['not sent', 'null', 'empty text', 'empty list']);
  expect(drawn.getByTestId('order-WO-7')).toBeTruthy();
  expect(drawn.getByTestId('event-unknown').textContent).toContain('H');
});
