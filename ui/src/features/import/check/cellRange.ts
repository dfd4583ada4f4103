import { type GridRow, type ImportView, type RowFilter, commands } from '@/ipc/bindings';

/** A cell, or the whole row where `column` is null. */
export type FocusedCell = { row: GridRow; column: number | null };

/** Cells of one column that lie below each other on screen: from where it was begun to where it was drawn, by display index. */
export type Range = { column: number; from: number; to: number };

/** As many rows as cross to the window at once. */
const most = 1000;

export function bounds({ from, to }: Range): [first: number, last: number] {
  return from <= to ? [from, to] : [to, from];
}

export function contains(range: Range | null, column: number, index: number | null): boolean {
  if (!range || index === null || range.column !== column) return false;
  const [first, last] = bounds(range);
  return first <= index && index <= last;
}

/** The rows that a range covers, whether they are on screen or not. */
export async function rowsOf(view: ImportView, filter: RowFilter, range: Range): Promise<GridRow[]> {
  const [first, last] = bounds(range);
  const starts = Array.from({ length: Math.ceil((last + 1 - first) / most) }, (_, at) => first + at * most);
  const pages = await Promise.all(
    starts.map((start) => commands.importRows(view.id, filter, start, Math.min(most, last + 1 - start))),
  );
  return pages.flatMap((page) => page.rows);
}
