import type { ImportView } from '@/ipc/bindings';

/**
 * Returns the joined texts of a sample row below the header row. A row that has texts in all columns is preferred. Empty if no
 * row has a text in any of them.
 */
export function joinedSample(view: ImportView, columns: readonly number[], between: string): string {
  const below = view.head.filter((row) => view.headerRow === null || row.row > view.headerRow);
  const texts = below.map((row) => columns.map((column) => (row.cells[column] ?? '').trim()).filter((text) => text !== ''));
  const fullest = texts.find((parts) => parts.length === columns.length) ?? texts.find((parts) => parts.length > 0);
  return fullest?.join(between) ?? '';
}

/** Returns the paths of the joined fields that use a column. */
export function joinsOf(view: ImportView, column: number): string[] {
  return view.fields.filter((field) => field.joined?.columns.includes(column)).map((field) => field.path);
}
