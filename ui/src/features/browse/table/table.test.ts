// @vitest-environment jsdom
import { type GridApi, InfiniteRowModelModule, ModuleRegistry, RowApiModule, createGrid } from 'ag-grid-community';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';

import { initTranslations } from '@/base/words';
import type { Row, TableRow } from '@/base/values/cells';
import { TICK_COLUMN_ID } from '@/components/grid/tickColumn';
import type { Field, Operation } from '@/ipc/bindings';
import { clearMocks, mockIPC } from '@/ipc/mocks';
import { operation } from '@/test/samples';
import { loadRowsAsText } from './clipboard';
import { tableColumns, cellValue } from './columns';
import { toDraft, modesOf, toTest } from './filterDraft';
import { readLayout, visibleColumns } from './tableLayout';
import { replaceRows } from './tableSource';

beforeAll(initTranslations);

const names = { en: '', de: '', es: '', pt: '' };
const limits = { minimum: null, exclusiveMinimum: null, maximum: null, maxLength: null, values: [] };

function field(name: string, kind: Field['kind'], fields: Field[] = []): Field {
  const provenance = { level: 'specified' as const, source: '' };
  return { name, kind, required: false, nullable: true, names, synonyms: [], limits, example: null, provenance, refersTo: null, sense: [], fields };
}

const stations: Operation = {
  ...operation(),
  id: 'stations',
  answer: {
    member: 'data',
    schema: 'Station',
    rules: [],
    fields: [
      field('code', 'text'),
      field('area', 'object', [field('code', 'text'), field('since', 'date-time')]),
      field('busy', 'time-span'),
      field('active', 'boolean'),
      field('shifts', 'list', [field('code', 'text')]),
    ],
  },
};
const naming = { name: () => '', hint: () => undefined, unknownHint: 'unknown' };
const columns = tableColumns(stations, ['a.b'], naming);
const column = (path: string) => {
  const match = columns.find((one) => one.path === path);
  if (!match) throw new Error(path);
  return match;
};

describe('columns', () => {
  test("a nested part's fields are columns of their own, and what nobody knows stands last", () => {
    expect(columns.map(({ path }) => path)).toEqual(['code', 'area.code', 'area.since', 'busy', 'active', 'shifts', 'a.b']);
    expect(column('area.code').label).toBe('area · code');
    const row = { code: 'S', area: { code: 'A' }, 'a.b': 7 };
    expect([cellValue(row, column('area.code')), cellValue(row, column('a.b')), cellValue(row, column('busy'))]).toEqual(['A', 7, undefined]);
    expect(cellValue({ area: null }, column('area.code'))).toBeUndefined();
  });

  test('a look is what the grid shows, without its own columns', () => {
    const paths = new Set(columns.map(({ path }) => path));
    const state = [
      { colId: TICK_COLUMN_ID, width: 36, pinned: 'left' as const },
      { colId: 'busy', width: 140.4, hide: false, sort: 'desc' as const, sortIndex: 1 },
      { colId: 'code', width: 120, hide: false, pinned: 'left' as const, sort: 'asc' as const, sortIndex: 0 },
      { colId: 'active', width: 90, hide: true },
    ];
    const look = readLayout(state, paths);
    expect(look.sort).toEqual([
      { path: 'code', descending: false },
      { path: 'busy', descending: true },
    ]);
    expect(look.columns.map(({ path, width, hidden, pinned }) => [path, width, hidden, pinned])).toEqual([
      ['busy', 140, false, false],
      ['code', 120, false, true],
      ['active', 90, true, false],
    ]);
    expect(visibleColumns(columns, look.columns).map(({ path }) => path)).toEqual(['code', 'busy', 'area.code', 'area.since', 'shifts', 'a.b']);
  });
});

describe('filters', () => {
  const draft = (path: string, some: object) => ({ ...toDraft(column(path), undefined), ...some });

  test('ask what the kind can be asked', () => {
    expect(modesOf(column('code'))).toContain('oneOf');
    expect(modesOf(column('busy'))).toEqual(['between', 'filled', 'empty']);
    expect(modesOf(column('active'))).toEqual(['yes', 'no', 'empty']);
    expect(toTest(column('code'), draft('code', { text: '  ' }))).toBeNull();
    expect(toTest(column('code'), draft('code', { text: ' x ' }))).toEqual({ is: 'contains', text: 'x' });
    expect(toTest(column('busy'), draft('busy', { from: '1:30', to: '100' }))).toEqual({ is: 'between', from: 54_000_000_000, to: 60_000_000_000 });
    expect(toTest(column('busy'), draft('busy', { from: 'soon' }))).toBe(false);
    expect(toTest(column('area.since'), draft('area.since', { to: '2026-11-22' }))).toEqual({ is: 'during', from: null, to: '2026-11-22' });
    expect(toTest(column('shifts'), draft('shifts', { from: '2,5' }))).toEqual({ is: 'between', from: 2.5, to: null });
    const unread = ['1,234', '1 5', '0x10', '1e3', '5,', ','];
    expect(unread.map((text) => toTest(column('shifts'), draft('shifts', { from: text })))).toEqual(unread.map(() => false));
  });

  test('come back into the form as they were typed', () => {
    for (const [path, some] of [
      ['code', { mode: 'lacks', text: 'x' }],
      ['code', { mode: 'oneOf', texts: ['a', 'b'] }],
      ['busy', { from: '01:30:00', to: '' }],
      ['active', { mode: 'no' }],
      ['code', { mode: 'empty' }],
    ] as const) {
      const typed = draft(path, some);
      const filterTest = toTest(column(path), typed) || { is: 'filled' as const };
      expect(toDraft(column(path), { path, test: filterTest })).toEqual(typed);
    }
  });
});

test('rows become lines with tabs, headings first', async () => {
  mockIPC((command, args) => {
    expect([command, args]).toEqual(['browse_pick', { id: 3, positions: [5, 1] }]);
    return [{ code: 'S-1', area: { code: 'A\t"1"' }, shifts: 2 }, { code: '=1+1', active: true }];
  });
  const words = { yes: 'yes', no: 'no', duration: String, decimal: String, serviceTime: String, spans: 'words' as const };
  const text = await loadRowsAsText(3, [5, 1], { columns: ['code', 'area.code', 'active', 'shifts'].map(column), words });
  expect(text).toBe("code\tarea · code\tactive\tshifts\nS-1\t\"A\t\"\"1\"\"\"\t\t2\n'=1+1\t\tyes\t\n");
  clearMocks();
});

ModuleRegistry.registerModules([InfiniteRowModelModule, RowApiModule]);

let createdGrid: GridApi<TableRow> | null = null;

afterEach(() => createdGrid?.destroy());

const namedRows = (front: string, count: number): Row[] => Array.from({ length: count }, (_, place) => ({ code: `${front}${place}` }));

async function createLoadedGrid(rows: readonly Row[], positions: readonly number[]): Promise<GridApi<TableRow>> {
  const api = createGrid<TableRow>(document.createElement('div'), {
    rowModelType: 'infinite',
    columnDefs: [{ colId: 'code', valueGetter: ({ data }) => data?.row.code }],
    getRowId: ({ data }) => String(data.position),
    datasource: { getRows: ({ successCallback }) => successCallback(rows.map((row, place) => ({ row, position: positions[place] ?? 0 })), rows.length) },
  });
  createdGrid = api;
  await vi.waitFor(() => expect(shownCodes(api)).toHaveLength(rows.length));
  return api;
}

function shownCodes(api: GridApi<TableRow>): unknown[] {
  const all: unknown[] = [];
  api.forEachNode(({ data }) => data && all.push(data.row.code));
  return all;
}

test('rows of the next page take the place of as many others at once', async () => {
  const api = await createLoadedGrid(namedRows('A', 3), [0, 1, 2]);
  expect(replaceRows(api, namedRows('B', 3))).toBe(true);
  expect(shownCodes(api)).toEqual(['B0', 'B1', 'B2']);
});

test('nothing is replaced where there are fewer rows, or where they are shown in another order', async () => {
  const api = await createLoadedGrid(namedRows('A', 3), [2, 0, 1]);
  expect(replaceRows(api, namedRows('B', 3))).toBe(false);
  expect(replaceRows(api, namedRows('B', 2))).toBe(false);
  expect(shownCodes(api)).toEqual(['A0', 'A1', 'A2']);
});
