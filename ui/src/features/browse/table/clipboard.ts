import { type Row, type Words, cellText, toRows } from '@/base/values/cells';
import { type SpanForm, commands } from '@/ipc/bindings';
import { type TableColumn, valueIn } from './columns';

/** Rows that are asked for at a time. */
const chunk = 1000;

type Copying = { columns: readonly TableColumn[]; words: Words & { spans: SpanForm } };

/** Rows as text with tabs between cells, headings first: what a spreadsheet takes. */
export function asText(rows: readonly Row[], { columns, words }: Copying): string {
  const head = columns.map(({ label }) => cell(label));
  const lines = rows.map((row) => columns.map((column) => cell(cellText(valueIn(row, column), column.field, words))));
  return [head, ...lines].map((cells) => `${cells.join('\t')}\n`).join('');
}

/** The same for rows that are asked for. */
export async function rowsAsText(set: number, positions: readonly number[], copying: Copying): Promise<string> {
  return asText(await pickRows(set, positions), copying);
}

/** Rows of a set by their positions. */
export async function pickRows(set: number, positions: readonly number[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (let begin = 0; begin < positions.length; begin += chunk) {
    // One after the other: the engine's answers stay small.
    // oxlint-disable-next-line no-await-in-loop
    rows.push(...toRows(await commands.browsePick(set, positions.slice(begin, begin + chunk))));
  }
  return rows;
}

/** A cell's text. What a spreadsheet would take for a formula gets a quote in front; what would end the cell stands in quotes. */
function cell(text: string): string {
  const safe = /^[=+\-@]/u.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[\t\n\r"]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
