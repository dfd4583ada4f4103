import type { GridApi, IDatasource, IRowNode } from 'ag-grid-community';

import { type Row, type TableRow, toRows } from '@/base/values/cells';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { type Filter, commands } from '@/ipc/bindings';

/** How many rows a table shows, of how many that were read. */
export type Counts = { shown: number; of: number };

type Asking = {
  set: number;
  /** Rows that came with the page already, in the set's order from its first on. */
  first: readonly Row[] | null;
  filters: readonly Filter[];
  find: string;
  onCounts: (counts: Counts, unknown: string[] | null) => void;
};

/** Rows of a set for the grid's infinite model: the engine arranges, the grid asks for what is in sight. */
export function tableSource({ set, first, filters, find, onCounts: told }: Asking): IDatasource {
  return {
    getRows: ({ startRow, endRow, sortModel, successCallback, failCallback }) => {
      const sort = sortModel.map(({ colId, sort: way }) => ({ path: colId, descending: way === 'desc' }));
      const plain = sort.length === 0 && filters.length === 0 && find === '';
      if (plain && first && startRow === 0 && first.length <= endRow) {
        successCallback(at(first, [...first.keys()]), first.length);
        return;
      }
      commands
        .browseRows(set, { sort, filters: [...filters], find }, startRow, endRow - startRow)
        .then((page) => {
          told({ shown: page.shown, of: page.of }, page.unknown);
          successCallback(at(toRows(page.rows), page.positions), page.shown);
        })
        .catch((cause: unknown) => {
          failCallback();
          showProblemNotice(cause);
        });
    },
  };
}

/**
 * Puts rows in the place of as many others that a grid shows, at once: asked for its rows it would draw them a frame later.
 * False where it shows more or fewer, or in another order; nothing is changed then.
 */
export function replaceRows(api: GridApi<TableRow>, rows: readonly Row[]): boolean {
  const nodes: IRowNode<TableRow>[] = [];
  api.forEachNode((node) => nodes.push(node));
  if (nodes.length !== rows.length || nodes.some(({ data }, place) => data?.position !== place)) return false;
  for (const [place, row] of rows.entries()) nodes[place]?.updateData({ row, position: place });
  return true;
}

function at(rows: readonly Row[], positions: readonly number[]): TableRow[] {
  return rows.map((row, place) => ({ row, position: positions[place] ?? place }));
}
