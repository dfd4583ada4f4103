import type { ColDef, GridApi, GridOptions } from 'ag-grid-community';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { ValueLinks } from '@/base/links/useValueLinks';
import { useNavigation } from '@/base/navigation';
import type { TableRow, Words } from '@/base/values/cells';
import { HeaderCell } from './HeaderCell';
import { type TableColumn, gridColumns } from './columns';
import { applyLook, lookOf } from './tableLook';
import type { Table } from './useTable';

type Opening = (path: string, at: Element) => void;
type Defining = { columns: readonly TableColumn[]; words: Words; table: Table; key: readonly string[]; open: Opening; places: ValueLinks };

/** The grid's columns; how they begin is how the table was left. */
export function useDefinitions({ columns, words, table, key, open, places }: Defining): ColDef<TableRow>[] {
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

/** A grid takes the look that the table was left with when it is made, and that of a view whenever one is chosen. */
export function useLook(api: GridApi<TableRow> | null, { view, applied }: Table, columns: readonly TableColumn[], key: readonly string[]): void {
  const now = useRef({ view, columns, key });
  useEffect(() => {
    now.current = { view, columns, key };
  });
  useEffect(() => {
    const { view: left, columns: all, key: first } = now.current;
    const next = applied?.view ?? left;
    if (api && (applied || next.columns.length > 0)) applyLook(api, next, all, first);
  }, [api, applied]);
}

/** Rows that come while a set is being read are asked for. */
export function useFollow(api: GridApi<TableRow> | null, size: number, set: number | null): void {
  const seen = useRef({ set, size });
  useEffect(() => {
    const grew = seen.current.set === set && seen.current.size !== size;
    seen.current = { set, size };
    if (grew) api?.refreshInfiniteCache();
  }, [api, size, set]);
}

/** What holds for other rows is forgotten. */
export function useChanged(what: unknown, forget: () => void): void {
  const seen = useRef(what);
  useEffect(() => {
    if (seen.current === what) return;
    seen.current = what;
    forget();
  }, [what, forget]);
}

/** What a person does to the columns is kept. */
export function keeping(paths: ReadonlySet<string>, table: Table): GridOptions<TableRow> {
  const storeState = ({ api, source, finished = true }: { api: GridApi<TableRow>; source: string; finished?: boolean }) => {
    if (finished && byHand(source)) table.change(lookOf(api.getColumnState(), paths));
  };
  return { onColumnMoved: storeState, onColumnResized: storeState, onColumnPinned: storeState, onColumnVisible: storeState, onSortChanged: storeState };
}

/** `api` is what the column's menu does; a view that is applied isn't a change of its own. */
function byHand(source: string): boolean {
  return source.startsWith('ui') || source === 'api' || source === 'autosizeColumns';
}
