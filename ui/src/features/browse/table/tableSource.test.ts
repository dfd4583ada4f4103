// @vitest-environment jsdom
import { type GridApi, InfiniteRowModelModule, ModuleRegistry, RowApiModule, createGrid } from 'ag-grid-community';
import { afterEach, expect, test, vi } from 'vitest';

import type { Row, TableRow } from '@/base/values/cells';
import { replaceRows } from './tableSource';

ModuleRegistry.registerModules([InfiniteRowModelModule, RowApiModule]);

let grid: GridApi<TableRow> | null = null;

afterEach(() => grid?.destroy());

const named = (front: string, count: number): Row[] => Array.from({ length: count }, (_, place) => ({ code: `${front}${place}` }));

async function gridOf(rows: readonly Row[], positions: readonly number[]): Promise<GridApi<TableRow>> {
  const api = createGrid<TableRow>(document.createElement('div'), {
    rowModelType: 'infinite',
    columnDefs: [{ colId: 'code', valueGetter: ({ data }) => data?.row.code }],
    getRowId: ({ data }) => String(data.position),
    datasource: { getRows: ({ successCallback }) => successCallback(rows.map((row, place) => ({ row, position: positions[place] ?? 0 })), rows.length) },
  });
  grid = api;
  await vi.waitFor(() => expect(codes(api)).toHaveLength(rows.length));
  return api;
}

function codes(api: GridApi<TableRow>): unknown[] {
  const all: unknown[] = [];
  api.forEachNode(({ data }) => data && all.push(data.row.code));
  return all;
}

test('rows of the next page take the place of as many others at once', async () => {
  const api = await gridOf(named('A', 3), [0, 1, 2]);
  expect(replaceRows(api, named('B', 3))).toBe(true);
  expect(codes(api)).toEqual(['B0', 'B1', 'B2']);
});

test('nothing is replaced where there are fewer rows, or where they are shown in another order', async () => {
  const api = await gridOf(named('A', 3), [2, 0, 1]);
  expect(replaceRows(api, named('B', 3))).toBe(false);
  expect(replaceRows(api, named('B', 2))).toBe(false);
  expect(codes(api)).toEqual(['A0', 'A1', 'A2']);
});
