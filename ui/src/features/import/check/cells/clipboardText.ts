/** A block of cells as spreadsheets hand it over: as text with tabs, and as a table of a web page. */
export type Clipboard = { text: string; html: string };

/** What is longer holds more cells than are pasted at once; it isn't read. */
export const mostLetters = 20_000_000;

/**
 * The cells of a clipboard, row by row. The text is what each program shows; the table decides what a text leaves open: whether quotes around
 * a cell are its own, and whether a last row is empty.
 */
export function cellsOf({ text, html }: Clipboard): string[][] {
  const table = html.length <= mostLetters && /<t[dh]\b/iu.test(html) ? tableCells(html) : [];
  if (text === '') return table;
  const rows = textCells(text, true);
  if (table.length === 0) return rows.map((line) => line.map(({ plain }) => plain));
  const last = table.at(-1) ?? [];
  const isCut = (lines: readonly unknown[]) => lines.length === table.length - 1 && last.every((cell) => cell === '');
  const fits = (lines: readonly unknown[]) => lines.length === table.length || isCut(lines);
  const bare = fits(rows) ? rows : textCells(text, false);
  const fitting = fits(bare) ? bare : rows;
  const read = fitting.map((line, row) =>
    line.map(({ plain, quoted }, column) => {
      const seen = table[row]?.[column];
      return quoted !== null && seen !== undefined && squeezed(seen) === squeezed(quoted) ? quoted : plain;
    }),
  );
  return isCut(read) ? [...read, last] : read;
}

function squeezed(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}

/** A cell without the quotes around it, and with them where it had any. */
type TextCell = { plain: string; quoted: string | null };

/** Tabs part cells and line ends part rows, except within quotes that open and close a cell. */
function textCells(text: string, withQuotes: boolean): TextCell[][] {
  const rows: TextCell[][] = [[]];
  let at = 0;
  while (at <= text.length) {
    const { cell, end } = cellFrom(text, at, withQuotes);
    rows.at(-1)?.push(cell);
    const between = text[end];
    at = end + 1;
    if (between === undefined) break;
    if (between === '\t') continue;
    if (between === '\r' && text[at] === '\n') at += 1;
    // The end of the last line ends the block.
    if (at >= text.length) break;
    rows.push([]);
  }
  return rows;
}

function cellFrom(text: string, start: number, withQuotes: boolean): { cell: TextCell; end: number } {
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

/** The first table of a page. A cell that covers several is the first of them; the others are empty, as in the sheet. */
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

/** Stands for a line's end while the page's own are taken away; no page holds it. */
const lineEnd = '\u{e000}';

/** Spaces and line ends of the page's source are no text of the cell; `br` is. */
function textOf(cell: HTMLElement): string {
  cell.querySelectorAll('br').forEach((one) => one.replaceWith(lineEnd));
  const text = (cell.textContent ?? '').replaceAll(/[ \t\r\n]+/gu, ' ').replaceAll(new RegExp(` ?${lineEnd} ?`, 'gu'), '\n').replaceAll('\u{a0}', ' ');
  return text.trim();
}

/** Cells as spreadsheets take them: quotes where a cell holds what parts cells. */
export function asText(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(quotedText).join('\t')}\r\n`).join('');
}

function quotedText(cell: string): string {
  return /[\t\r\n"]/u.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** The same as a table. Leading zeros and long codes stay what they are: Excel makes numbers of them otherwise. */
export function asTable(rows: readonly (readonly string[])[]): string {
  return `<meta charset="utf-8"><table>${rows.map((row) => `<tr>${row.map(tableCell).join('')}</tr>`).join('')}</table>`;
}

function tableCell(text: string): string {
  return `<td${/^0\d|^\d{16}/u.test(text) ? ` style='mso-number-format:"\\@"'` : ''}>${escaped(text)}</td>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\n', '<br>');
}
