import { type SpanForm, commands } from '../../ipc/bindings';
import { type Words, shown, toRows } from './cells';
import { type TableColumn, valueIn } from './columns';

/** Rows that are asked for at a time. */
const chunk = 1000;

type Copying = { set: number; positions: readonly number[]; columns: readonly TableColumn[]; words: Words & { spans: SpanForm } };

/** Rows as text with tabs between cells, headings first: what a spreadsheet takes. */
export async function rowsAsText({ set, positions, columns, words }: Copying): Promise<string> {
  const lines = [columns.map(({ label }) => cell(label)).join('\t')];
  for (let begin = 0; begin < positions.length; begin += chunk) {
    // One after the other: the engine's answers stay small.
    // oxlint-disable-next-line no-await-in-loop
    const rows = await commands.browsePick(set, positions.slice(begin, begin + chunk));
    for (const row of toRows(rows)) lines.push(columns.map((column) => cell(shown(valueIn(row, column), column.field, words))).join('\t'));
  }
  return `${lines.join('\n')}\n`;
}

/** A cell's text. What a spreadsheet would take for a formula gets a quote in front; what would end the cell stands in quotes. */
function cell(text: string): string {
  const safe = /^[=+\-@]/u.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[\t\n\r"]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Into the clipboard. The text may still be on its way: the click's leave is used at once. */
export async function copyText(text: Promise<string>): Promise<void> {
  if (typeof ClipboardItem === 'undefined') return navigator.clipboard.writeText(await text);
  const blob = text.then((found) => new Blob([found], { type: 'text/plain' }));
  return navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })]);
}
