/** A block of cells as spreadsheets provide it: tab-separated text and an HTML table. */
export type ClipboardContent = { text: string; html: string };

/** Maximum length of clipboard content. Longer content has more cells than can be pasted. */
export const MAX_CLIPBOARD_LENGTH = 20_000_000;

/**
 * Parses the clipboard into rows of cells. The text has the displayed values. The table shows whether quotes belong to a cell,
 * and whether the last row is empty.
 */
export function parseClipboard({ text, html }: ClipboardContent): string[][] {
  const table = html.length <= MAX_CLIPBOARD_LENGTH && /<t[dh]\b/iu.test(html) ? tableCells(html) : [];
  if (text === '') return table;
  const rows = textCells(text, true);
  if (table.length === 0) return rows.map((line) => line.map(({ plain }) => plain));
  const last = table.at(-1) ?? [];
  const lacksEmptyLastRow = (lines: readonly unknown[]) => lines.length === table.length - 1 && last.every((cell) => cell === '');
  const fits = (lines: readonly unknown[]) => lines.length === table.length || lacksEmptyLastRow(lines);
  const bare = fits(rows) ? rows : textCells(text, false);
  const fitting = fits(bare) ? bare : rows;
  const read = fitting.map((line, row) =>
    line.map(({ plain, quoted }, column) => {
      const htmlText = table[row]?.[column];
      return quoted !== null && htmlText !== undefined && collapseSpaces(htmlText) === collapseSpaces(quoted) ? quoted : plain;
    }),
  );
  return lacksEmptyLastRow(read) ? [...read, last] : read;
}

function collapseSpaces(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}

/** A cell's text without surrounding quotes. `quoted` also has the quotes, and is null if there were none. */
type TextCell = { plain: string; quoted: string | null };

/** Splits text at tabs and line ends, except within quotes that open and close a cell. */
function textCells(text: string, withQuotes: boolean): TextCell[][] {
  const rows: TextCell[][] = [[]];
  let at = 0;
  while (at <= text.length) {
    const { cell, end } = parseCell(text, at, withQuotes);
    rows.at(-1)?.push(cell);
    const between = text[end];
    at = end + 1;
    if (between === undefined) break;
    if (between === '\t') continue;
    if (between === '\r' && text[at] === '\n') at += 1;
    // A line end at the end of the text doesn't start another row.
    if (at >= text.length) break;
    rows.push([]);
  }
  return rows;
}

function parseCell(text: string, start: number, withQuotes: boolean): { cell: TextCell; end: number } {
  if (withQuotes && text[start] === '"') {
    const within = /"((?:[^"]|"")*)"(?=[\t\r\n]|$)/uy;
    within.lastIndex = start;
    const found = within.exec(text);
    if (found) {
      const plain = (found[1] ?? '').replaceAll('""', '"').replaceAll(/\r\n?/gu, '\n');
      return { cell: { plain, quoted: found[0] }, end: within.lastIndex };
    }
  }
  const rest = /[^\t\r\n]*/uy;
  rest.lastIndex = start;
  const plain = rest.exec(text)?.[0] ?? '';
  return { cell: { plain, quoted: null }, end: start + plain.length };
}

/** Reads the first table. A merged cell has its value in the first cell, and the others are empty. */
function tableCells(html: string): string[][] {
  const page = new DOMParser().parseFromString(html, 'text/html');
  const rows: string[][] = [];
  [...(page.querySelector('table')?.rows ?? [])].forEach((line, at) => {
    const row = (rows[at] ??= []);
    let column = 0;
    for (const cell of line.cells) {
      while (row[column] !== undefined) column += 1;
      const [wide, high] = [Math.min(cell.colSpan, 1000), Math.min(Math.max(cell.rowSpan, 1), 1000)];
      for (let below = 0; below < high; below += 1) {
        const covered = (rows[at + below] ??= []);
        for (let beside = 0; beside < wide; beside += 1) covered[column + beside] = '';
      }
      row[column] = textOf(cell);
      column += wide;
    }
  });
  return rows.map((row) => Array.from(row, (cell?: string) => cell ?? ''));
}

/** Replaces `br` while the line ends of the HTML source are removed. It is a private-use character, which texts don't contain. */
const LINE_END = '\u{e000}';

/** Returns a cell's text. Spaces and line ends of the HTML source are collapsed, and `br` becomes a line end. */
function textOf(cell: HTMLElement): string {
  cell.querySelectorAll('br').forEach((one) => one.replaceWith(LINE_END));
  const text = (cell.textContent ?? '').replaceAll(/[ \t\r\n]+/gu, ' ').replaceAll(new RegExp(` ?${LINE_END} ?`, 'gu'), '\n').replaceAll('\u{a0}', ' ');
  return text.trim();
}

/** Formats cells as tab-separated text. Cells with separators are quoted. */
export function formatAsText(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(quotedText).join('\t')}\r\n`).join('');
}

function quotedText(cell: string): string {
  return /[\t\r\n"]/u.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/**
 * Formats cells as an HTML table. Cells with a leading zero or at least 16 digits are marked as text, so that Excel doesn't
 * change them.
 */
export function formatAsTable(rows: readonly (readonly string[])[]): string {
  return `<meta charset="utf-8"><table>${rows.map((row) => `<tr>${row.map(tableCell).join('')}</tr>`).join('')}</table>`;
}

function tableCell(text: string): string {
  return `<td${/^0\d|^\d{16}/u.test(text) ? ` style='mso-number-format:"\\@"'` : ''}>${escapeHtml(text)}</td>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\n', '<br>');
}
