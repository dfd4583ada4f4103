import type { ColDef, GridApi, GridOptions } from 'ag-grid-community';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { ValueLinks } from '@/base/links/useValueLinks';
import { useNavigation } from '@/base/navigation';
import type { TableRow, Words } from '@/base/values/cells';
import { HeaderCell } from './HeaderCell';
import { type TableColumn, gridColumns } from './columns';
import { applyLayout, readLayout } from './tableLook';
import type { Table } from './useTable';

type Opening = (path: string, at: Element) => void;
type Defining = { columns: readonly TableColumn[]; words: Words; table: Table; key: readonly string[]; open: Opening; places: ValueLinks };

/** Returns the grid's columns, with the table's stored view as initial state. */
export function useColumnDefinitions({ columns, words, table, key, open, places }: Defining): ColDef<TableRow>[] {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const [begin] = useState(table.view);
  const { filters, spans } = table.view;
  return useMemo(() => {
    const header = {
      innerHeaderComponent: HeaderCell,
      innerHeaderComponentParams: { open, filtered: new Set(filters.map(({ path }) => path)), menuOf: (column: string) => t('table.columnMenu', { column }) },
    };
    const spanUnit = spans === 'words' ? '' : t(`table.span.${spans}`);
    const links = new Map([...places].map(([path, place]) => [path, (value: string) => go(place(value))]));
    return gridColumns({ columns, words, view: begin, key, spanUnit, header, open, links });
  }, [columns, words, begin, filters, spans, key, open, places, go, t]);
}

/** Applies the table's view to the grid when the grid is created and when a view is chosen. */
export function useViewLayout(api: GridApi<TableRow> | null, { view, applied }: Table, columns: readonly TableColumn[], key: readonly string[]): void {
  const now = useRef({ view, columns, key });
  useEffect(() => {
    now.current = { view, columns, key };
  });
  useEffect(() => {
    const { view: left, columns: all, key: first } = now.current;
    const next = applied?.view ?? left;
    if (api && (applied || next.columns.length > 0)) applyLayout(api, next, all, first);
  }, [api, applied]);
}

/** Refreshes the grid when the set grows. */
export function useRefreshOnGrowth(api: GridApi<TableRow> | null, size: number, set: number | null): void {
  const seen = useRef({ set, size });
  useEffect(() => {
    const grew = seen.current.set === set && seen.current.size !== size;
    seen.current = { set, size };
    if (grew) api?.refreshInfiniteCache();
  }, [api, size, set]);
}

/** Calls `forget` when the value changes. */
export function useOnChange(what: unknown, forget: () => void): void {
  const seen = useRef(what);
  useEffect(() => {
    if (seen.current === what) return;
    seen.current = what;
    forget();
  }, [what, forget]);
}

/** Stores the user's changes to the columns. */
export function layoutListeners(paths: ReadonlySet<string>, table: Table): GridOptions<TableRow> {
  const storeState = ({ api, source, finished = true }: { api: GridApi<TableRow>; source: string; finished?: boolean }) => {
    if (finished && isUserChange(source)) table.change(readLayout(api.getColumnState(), paths));
  };
  return { onColumnMoved: storeState, onColumnResized: storeState, onColumnPinned: storeState, onColumnVisible: storeState, onSortChanged: storeState };
}

/** Whether an event comes from the user. `api` is the source of the column menu's changes. Applying a view has another source. */
function isUserChange(source: string): boolean {
  return source.startsWith('ui') || source === 'api' || source === 'autosizeColumns';
}
