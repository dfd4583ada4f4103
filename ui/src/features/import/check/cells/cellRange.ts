import { type CellPlace, type GridRow, type ImportView, type RowFilter, commands } from '@/ipc/bindings';

/** A cell, or the whole row where `column` is null. */
export type FocusedCell = { row: GridRow; column: number | null };

/**
 * A block of cells on screen: from the cell that has the focus to the one in the corner across. Rows are named by where they are shown,
 * `columns` are those that the block covers, as they stand from left to right.
 */
export type Range = { anchor: CellPlace; head: CellPlace; columns: number[] };

/** As many rows as cross to the window at once. */
const most = 1000;

/** As many cells are copied or changed as one step. */
export const mostCells = 100_000;

/** The block between two cells. */
export function block(order: readonly number[], anchor: CellPlace, head: CellPlace): Range {
  const [one, other] = [order.indexOf(anchor.column), order.indexOf(head.column)];
  return { anchor, head, columns: order.slice(Math.min(one, other), Math.max(one, other) + 1) };
}

export function bounds({ anchor, head }: Range): [first: number, last: number] {
  return anchor.index <= head.index ? [anchor.index, head.index] : [head.index, anchor.index];
}

export function cellCount(range: Range): number {
  const [first, last] = bounds(range);
  return (last - first + 1) * range.columns.length;
}

export function contains(range: Range | null, column: number, index: number | null): boolean {
  if (!range || index === null || !range.columns.includes(column)) return false;
  const [first, last] = bounds(range);
  return first <= index && index <= last;
}

/** The rows between two places, whether they are on screen or not. */
export async function rowsBetween(view: ImportView, filter: RowFilter, first: number, last: number): Promise<GridRow[]> {
  const starts = Array.from({ length: Math.ceil((last + 1 - first) / most) }, (_, at) => first + at * most);
  const pages = await Promise.all(
    starts.map((start) => commands.importRows(view.id, filter, start, Math.min(most, last + 1 - start))),
  );
  return pages.flatMap((page) => page.rows);
}
