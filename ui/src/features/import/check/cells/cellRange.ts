import { type CellPlace, type GridRow, type ImportView, type RowFilter, commands } from '@/ipc/bindings';

/** A cell, or the whole row if `column` is null. */
export type FocusedCell = { row: GridRow; column: number | null };

/**
 * A range of cells from the focused one to the opposite corner. Row indexes are display positions, and `columns` are the covered
 * columns from left to right.
 */
export type Range = { anchor: CellPlace; head: CellPlace; columns: number[] };

/** Maximum number of rows per request. */
const MAX_ROWS_PER_REQUEST = 1000;

/** Maximum number of cells copied or changed in one step. */
export const MAX_CELLS = 100_000;

/** Returns the range between two cells. */
export function rangeBetween(order: readonly number[], anchor: CellPlace, head: CellPlace): Range {
  const [one, other] = [order.indexOf(anchor.column), order.indexOf(head.column)];
  return { anchor, head, columns: order.slice(Math.min(one, other), Math.max(one, other) + 1) };
}

export function rowBounds({ anchor, head }: Range): [first: number, last: number] {
  return anchor.index <= head.index ? [anchor.index, head.index] : [head.index, anchor.index];
}

export function cellCount(range: Range): number {
  const [first, last] = rowBounds(range);
  return (last - first + 1) * range.columns.length;
}

export function isInRange(range: Range | null, column: number, index: number | null): boolean {
  if (!range || index === null || !range.columns.includes(column)) return false;
  const [first, last] = rowBounds(range);
  return first <= index && index <= last;
}

/** Loads the rows between two indexes, whether or not the grid has loaded them. */
export async function loadRowsBetween(view: ImportView, filter: RowFilter, first: number, last: number): Promise<GridRow[]> {
  const starts = Array.from({ length: Math.ceil((last + 1 - first) / MAX_ROWS_PER_REQUEST) }, (_, at) => first + at * MAX_ROWS_PER_REQUEST);
  const pages = await Promise.all(
    starts.map((start) => commands.importRows(view.id, filter, start, Math.min(MAX_ROWS_PER_REQUEST, last + 1 - start))),
  );
  return pages.flatMap((page) => page.rows);
}
