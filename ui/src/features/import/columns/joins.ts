import type { ImportView } from '@/ipc/bindings';

/**
 * Returns a sample of the joined columns from the first row below the header row that has any of them. Empty if there is none.
 */
export function joinedSample(view: ImportView, columns: readonly number[], between: string): string {
  const below = view.head.filter((row) => view.headerRow === null || row.row > view.headerRow);
  const texts = below.map((row) => columns.map((column) => (row.cells[column] ?? '').trim()).filter((text) => text !== ''));
  const fullest = texts.find((parts) => parts.length === columns.length) ?? texts.find((parts) => parts.length > 0);
  return fullest?.join(between) ?? '';
}

/** Returns the joined fields that use a column. */
export function joinsOf(view: ImportView, column: number): string[] {
  return view.fields.filter((field) => field.joined?.columns.includes(column)).map((field) => field.path);
}
