import type { ColumnState, GridApi } from 'ag-grid-community';

import type { TableRow } from '@/base/values/cells';
import type { ColumnLayout, SortBy, TableView } from '@/ipc/bindings';
import type { TableColumn } from './columns';

export const EMPTY_VIEW: TableView = { columns: [], sort: [], filters: [], spans: 'words' };

/** Returns the grid's column layout and sort order. */
export function readLayout(states: readonly ColumnState[], paths: ReadonlySet<string>): { columns: ColumnLayout[]; sort: SortBy[] } {
  const columnStates = states.filter(({ colId }) => paths.has(colId));
  const sorted = columnStates.filter(({ sort }) => sort).toSorted((a, b) => (a.sortIndex ?? 0) - (b.sortIndex ?? 0));
  return {
    columns: columnStates.map(({ colId, width, hide, pinned }) => ({
      path: colId,
      width: Math.round(width ?? 0),
      hidden: hide === true,
      pinned: pinned === 'left' || pinned === true,
    })),
    sort: sorted.map(({ colId, sort }) => ({ path: colId, descending: sort === 'desc' })),
  };
}

/** Applies a view's column layout to the grid. Columns that it lacks are shown last. */
export function applyLayout(api: GridApi<TableRow>, view: TableView, columns: readonly TableColumn[], key: readonly string[]): void {
  if (view.columns.length === 0) {
    api.resetColumnState();
    api.applyColumnState({
      state: columns.map(({ path }) => Object.assign(sortStateOf(view, path), { colId: path, hide: false, pinned: path === key[0] ? ('left' as const) : null })),
    });
    return;
  }
  const looks = view.columns.filter(({ path }) => columns.some((column) => column.path === path));
  api.applyColumnState({
    state: looks.map(({ path, width, hidden, pinned }) =>
      Object.assign(sortStateOf(view, path), { colId: path, width: width > 0 ? width : undefined, hide: hidden, pinned: pinned ? ('left' as const) : null }),
    ),
    defaultState: { hide: false, sort: null },
    applyOrder: true,
  });
}

function sortStateOf(view: TableView, path: string): Pick<ColumnState, 'sort' | 'sortIndex'> {
  const at = view.sort.findIndex((by) => by.path === path);
  const sorting = view.sort[at];
  return sorting ? { sort: sorting.descending ? 'desc' : 'asc', sortIndex: at } : { sort: null, sortIndex: null };
}

/** Returns the visible columns in order. */
export function visibleColumns(columns: readonly TableColumn[], looks: readonly ColumnLayout[]): TableColumn[] {
  const lookByPath = new Map(looks.map((look) => [look.path, look]));
  const byPath = new Map(columns.map((column) => [column.path, column]));
  const first = [...looks].toSorted((a, b) => Number(b.pinned) - Number(a.pinned)).filter(({ hidden }) => !hidden);
  return [...first.flatMap(({ path }) => byPath.get(path) ?? []), ...columns.filter(({ path }) => !lookByPath.has(path))];
}
