import type { CellPlace, Fix, GridRow } from '@/ipc/bindings';
import { type Range, rangeBetween, rowBounds } from './cellRange';
import { continueSeries } from './continueSeries';

/** The target range of a pasted block, and the rows and columns that don't fit. */
export type PasteTarget = { range: Range; texts: string[][]; lostRows: string[][]; lostColumns: number };

/**
 * Returns the range that pasting changes, beginning at the selection's upper left cell. As in Excel, the block is repeated if the
 * selection is a multiple of its size.
 */
export function pasteTarget(texts: string[][], chosen: Range, order: readonly number[], rows: number): PasteTarget {
  const [first, last] = rowBounds(chosen);
  const [height, width] = [texts.length, Math.max(...texts.map((line) => line.length))];
  const [chosenHeight, chosenWidth] = [last - first + 1, chosen.columns.length];
  const repeats = chosenHeight % height === 0 && chosenWidth % width === 0;
  const left = order.indexOf(chosen.columns[0] ?? 0);
  const targetColumns = order.slice(left, left + (repeats ? chosenWidth : width));
  const end = Math.min(first + (repeats ? chosenHeight : height), rows);
  const [start, corner] = [targetColumns[0] ?? 0, targetColumns.at(-1) ?? 0];
  return {
    range: rangeBetween(order, { index: first, column: start }, { index: end - 1, column: corner }),
    texts,
    lostRows: repeats ? [] : texts.slice(end - first),
    lostColumns: repeats ? 0 : width - targetColumns.length,
  };
}

/** Returns the range to fill after a drag of the fill handle. It extends only in the direction of the longest drag. */
export function dragTarget(from: Range, to: CellPlace, order: readonly number[]): Range {
  const [first, last] = rowBounds(from);
  const at = order.indexOf(to.column);
  const [left, right] = [order.indexOf(from.columns[0] ?? 0), order.indexOf(from.columns.at(-1) ?? 0)];
  const vertical = Math.max(to.index - last, first - to.index, 0);
  const horizontal = Math.max(at - right, left - at, 0);
  const column = (position: number) => order[position] ?? 0;
  const rows = vertical > 0 && vertical >= horizontal;
  const columns = !rows && horizontal > 0;
  return rangeBetween(
    order,
    { index: rows ? Math.min(first, to.index) : first, column: column(columns ? Math.min(left, at) : left) },
    { index: rows ? Math.max(last, to.index) : last, column: column(columns ? Math.max(right, at) : right) },
  );
}

/** A fix that fills cells. `isSeries` is true if it continues a series, and false if it copies cells. */
export type Filling = { fix: Fix; isSeries: boolean };

/** Returns the fix that fills the part of `to` outside of `from`, null if there is none. `found` has the rows of `to`. */
export function fillBlock(from: Range, to: Range, found: readonly GridRow[]): Filling | null {
  const [first, last] = rowBounds(from);
  const [start, end] = rowBounds(to);
  const rows = (one: number, other: number) => found.slice(one - start, other - start + 1);
  const source = rows(first, last);
  if (start < first || end > last) {
    const upwards = start < first;
    const sourceRows = upwards ? source.toReversed() : source;
    const target = upwards ? rows(start, first - 1).toReversed() : rows(last + 1, end);
    const lines = from.columns.map((column) => sourceRows.map((row) => row.cells[column]?.shown ?? ''));
    return fillLines(lines, target.length, (texts) => ({ kind: 'paste', rows: rowNumbers(target), columns: from.columns, texts: transpose(texts) }), {
      kind: 'fill-block', from_rows: rowNumbers(sourceRows), from_columns: from.columns, rows: rowNumbers(target), columns: from.columns,
    });
  }
  const newColumns = to.columns.filter((column) => !from.columns.includes(column));
  if (newColumns.length === 0) return null;
  const leftwards = to.columns.indexOf(newColumns[0] ?? 0) < to.columns.indexOf(from.columns[0] ?? 0);
  const [sourceColumns, target] = leftwards ? [from.columns.toReversed(), newColumns.toReversed()] : [from.columns, newColumns];
  const lines = source.map((row) => sourceColumns.map((column) => row.cells[column]?.shown ?? ''));
  return fillLines(lines, target.length, (texts) => ({ kind: 'paste', rows: rowNumbers(source), columns: target, texts }), {
    kind: 'fill-block', from_rows: rowNumbers(source), from_columns: sourceColumns, rows: rowNumbers(source), columns: target,
  });
}

function rowNumbers(rows: readonly GridRow[]): number[] {
  return rows.map((one) => one.row);
}

/** Continues the lines that are a series, and copies the others. If any line is a series, all of them are pasted as texts. */
function fillLines(lines: string[][], count: number, paste: (texts: string[][]) => Fix, copy: Fix): Filling {
  const counting = lines.map((line) => continueSeries(line, count));
  if (counting.every((line) => line === null)) return { fix: copy, isSeries: false };
  const copied = (line: string[]) => Array.from({ length: count }, (_, at) => line[at % line.length] ?? '');
  return { fix: paste(lines.map((line, at) => counting[at] ?? copied(line))), isSeries: true };
}

/** Transposes rows and columns. */
function transpose(lines: string[][]): string[][] {
  return (lines[0] ?? []).map((_, at) => lines.map((line) => line[at] ?? ''));
}
