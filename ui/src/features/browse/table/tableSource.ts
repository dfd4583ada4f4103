import type { GridApi, IDatasource, IRowNode } from 'ag-grid-community';

import { type Row, type TableRow, toRows } from '@/base/values/cells';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { type Filter, commands } from '@/ipc/bindings';

/** The number of rows that match the filters, and the number of all rows read. */
export type Counts = { shown: number; of: number };

type SourceInput = {
  set: number;
  /** Rows that arrived with the page, from the set's first row on. */
  initialRows: readonly Row[] | null;
  filters: readonly Filter[];
  find: string;
  onCounts: (counts: Counts, unknown: string[] | null) => void;
};

/** Provides a set's rows to the grid's infinite row model. The engine sorts and filters. */
export function tableSource({ set, initialRows, filters, find, onCounts }: SourceInput): IDatasource {
  return {
    getRows: ({ startRow, endRow, sortModel, successCallback, failCallback }) => {
      const sort = sortModel.map(({ colId, sort: way }) => ({ path: colId, descending: way === 'desc' }));
      const plain = sort.length === 0 && filters.length === 0 && find === '';
      if (plain && initialRows && startRow === 0 && initialRows.length <= endRow) {
        successCallback(withPositions(initialRows, [...initialRows.keys()]), initialRows.length);
        return;
      }
      commands
        .browseRows(set, { sort, filters: [...filters], find }, startRow, endRow - startRow)
        .then((page) => {
          onCounts({ shown: page.shown, of: page.of }, page.unknown);
          successCallback(withPositions(toRows(page.rows), page.positions), page.shown);
        })
        .catch((cause: unknown) => {
          failCallback();
          showProblemNotice(cause);
        });
    },
  };
}

/**
 * Replaces the displayed rows synchronously, because a refresh would render one frame later. Returns false, and changes nothing,
 * if the number of rows or their order doesn't match.
 */
export function replaceRows(api: GridApi<TableRow>, rows: readonly Row[]): boolean {
  const nodes: IRowNode<TableRow>[] = [];
  api.forEachNode((node) => nodes.push(node));
  if (nodes.length !== rows.length || nodes.some(({ data }, place) => data?.position !== place)) return false;
  for (const [place, row] of rows.entries()) nodes[place]?.updateData({ row, position: place });
  return true;
}

function withPositions(rows: readonly Row[], positions: readonly number[]): TableRow[] {
  return rows.map((row, place) => ({ row, position: positions[place] ?? place }));
}
