import type { ImportView } from '@/ipc/bindings';

/** What the first row below the heading would read with these columns joined; empty where it has none of them. */
export function joinedSample(view: ImportView, columns: readonly number[], between: string): string {
  const below = view.head.filter((row) => view.headerRow === null || row.row > view.headerRow);
  const texts = below.map((row) => columns.map((column) => (row.cells[column] ?? '').trim()).filter((text) => text !== ''));
  const fullest = texts.find((parts) => parts.length === columns.length) ?? texts.find((parts) => parts.length > 0);
  return fullest?.join(between) ?? '';
}

/** The fields that a column is joined into with others. */
export function joinsOf(view: ImportView, column: number): string[] {
  return view.fields.filter((field) => field.joined?.columns.includes(column)).map((field) => field.path);
}
