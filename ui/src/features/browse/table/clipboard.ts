import { type Row, type CellFormats, cellText, toRows } from '@/base/values/cells';
import { type SpanForm, commands } from '@/ipc/bindings';
import { type TableColumn, cellValue } from './columns';

/** Rows per request. */
const ROWS_PER_REQUEST = 1000;

type CopyFormat = { columns: readonly TableColumn[]; words: CellFormats & { spans: SpanForm } };

/** Formats rows as tab-separated text with a header row, for spreadsheets. */
export function formatRows(rows: readonly Row[], { columns, words }: CopyFormat): string {
  const head = columns.map(({ label }) => escapeCell(label));
  const lines = rows.map((row) => columns.map((column) => escapeCell(cellText(cellValue(row, column), column.field, words))));
  return [head, ...lines].map((cells) => `${cells.join('\t')}\n`).join('');
}

/** Loads rows and formats them as tab-separated text. */
export async function loadRowsAsText(set: number, positions: readonly number[], copying: CopyFormat): Promise<string> {
  return formatRows(await loadRows(set, positions), copying);
}

/** Loads rows of a set by position. */
export async function loadRows(set: number, positions: readonly number[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (let begin = 0; begin < positions.length; begin += ROWS_PER_REQUEST) {
    // One request at a time keeps the engine's responses small.
    // oxlint-disable-next-line no-await-in-loop
    rows.push(...toRows(await commands.browsePick(set, positions.slice(begin, begin + ROWS_PER_REQUEST))));
  }
  return rows;
}

/** Escapes a cell. Formulas get a leading apostrophe, and tabs, line breaks and quotes are quoted. */
function escapeCell(text: string): string {
  const safe = /^[=+\-@]/u.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[\t\n\r"]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
