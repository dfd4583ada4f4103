import type { GridApi, IDatasource } from 'ag-grid-community';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';

import type { Row, TableRow } from '@/base/values/cells';
import type { Filter } from '@/ipc/bindings';
import { type Counts, replaceRows, tableSource } from './tableSource';

type SourceReport = { by: symbol; counts: Counts; unknown: string[] | null };
type SourceQuery = { set: number | null; first: readonly Row[] | null; filters: readonly Filter[]; find: string };

/** The grid's data source, with the counts and unknown members that it reported. */
type TableSource = { source: IDatasource | undefined; counts: Counts | null; unknown: string[] | null };

/** Number of recent queries whose reports are stored. Responses may arrive out of order. */
const MAX_REPORTS = 4;

export function useTableSource({ set, first, filters, find }: SourceQuery): TableSource {
  const [reports, setReports] = useState<readonly SourceReport[]>([]);
  const asked = useMemo(() => {
    if (set === null) return null;
    const by = Symbol('asked');
    const report = (counts: Counts, unknown: string[] | null) =>
      setReports((all) => {
        const next = { by, counts, unknown };
        const others = all.filter((one) => one.by !== by);
        // Every block reports the same values, so render only on a change.
        return all.length > others.length && all.some((one) => isSameQuery(one, next)) ? all : [...others, next].slice(-MAX_REPORTS);
      });
    return { by, source: tableSource({ set, first, filters, find, onCounts: report }) };
  }, [set, first, filters, find]);
  const answer = reports.find(({ by }) => by === asked?.by);
  const plain = filters.length === 0 && find === '';
  const atHand = useMemo(() => (plain && first ? { shown: first.length, of: first.length } : null), [plain, first]);
  return { source: asked?.source, counts: answer?.counts ?? atHand, unknown: answer?.unknown ?? null };
}

function isSameQuery(one: SourceReport, other: SourceReport): boolean {
  return (
    one.by === other.by &&
    one.counts.shown === other.counts.shown &&
    one.counts.of === other.counts.of &&
    one.unknown?.join('\n') === other.unknown?.join('\n')
  );
}

/** An empty data source. */
export const EMPTY_SOURCE: IDatasource = { getRows: ({ successCallback }) => successCallback([], 0) };

/**
 * Returns one data source for the grid's lifetime. Rows of the next page replace those of the last one without an empty state in
 * between. `asGiven` are those rows if the table shows them unsorted and unfiltered.
 */
export function useStableSource(api: GridApi<TableRow> | null, source: IDatasource | null, page: boolean, asGiven: readonly Row[] | null): IDatasource | undefined {
  const now = useRef<{ source: IDatasource; page: boolean } | null>(null);
  const [steady] = useState<IDatasource>(() => ({ getRows: (parameters) => now.current?.source.getRows(parameters) }));
  const [begun, begin] = useState(false);
  if (source && !begun) begin(true);
  useLayoutEffect(() => {
    if (!source || now.current?.source === source) return;
    const before = now.current;
    now.current = { source, page };
    if (!api || !before) return;
    // Before new rows are rendered, the scroll position is known without a layout.
    if (api.getDisplayedRowCount() > 0) api.ensureIndexVisible(0, 'top');
    if (page && before.page) {
      if (!asGiven || !replaceRows(api, asGiven)) api.refreshInfiniteCache();
    } else api.purgeInfiniteCache();
  }, [api, source, page, asGiven]);
  return begun ? steady : undefined;
}
