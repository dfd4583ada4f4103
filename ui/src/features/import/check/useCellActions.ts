import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { showWarningNotice } from '@/components/notices/warningNotice';
import type { CellHelp, GridRow, ImportView, RowFilter } from '@/ipc/bindings';
import { copyText } from '@/ipc/clipboard';
import type { Actions } from './cells/actions';
import { fillBlock, pasteTarget } from './cells/blockEdits';
import { type FocusedCell, type Range, rangeBetween, rowBounds, cellCount, MAX_CELLS, loadRowsBetween } from './cells/cellRange';
import { formatAsTable, formatAsText } from './cells/clipboardText';
import type { Fixes } from './useFixes';

type CellActionsInput = {
  view: ImportView;
  filter: RowFilter;
  focused: FocusedCell | null;
  range: Range | null;
  fixes: Fixes;
  help: CellHelp;
};

/** Maximum number of lost rows listed in the message. */
const MAX_NAMED_ROWS = 3;

/** Actions for the rendered selection. `actionsOf` returns the actions for any selection, even before it is rendered. */
type CellActions = { actions: Actions; actionsOf: (range: Range | null) => Actions };

export function useCellActions({ view, filter, focused, range: shown, fixes, help }: CellActionsInput): CellActions {
  const { t } = useTranslation();
  const [isReplacing, setReplacing] = useState(false);
  const actionsOf = useCallback((range: Range | null): Actions => {
    const column = view.columns.find((one) => one.index === focused?.column);
    const cell = column && focused?.row.cells[column.index];
    const [first, last] = range ? rowBounds(range) : [0, 0];
    const rows = range ? last - first + 1 : 1;
    const { fix, announce } = fixes;
    const fits = (count: number) => {
      if (count > MAX_CELLS) showWarningNotice(t('fix.tooMany', { most: MAX_CELLS }));
      return count <= MAX_CELLS;
    };
    const read = async (from: number, to: number, then: (found: GridRow[]) => void) => {
      const found = await loadRowsBetween(view, filter, from, to).catch(() => []);
      if (found.length > 0) then(found);
    };
    const each = (then: (found: GridRow[]) => void) => {
      if (range && fits(rows)) void read(first, last, then);
      else if (!range && focused) then([focused.row]);
    };
    const numbers = (found: GridRow[]) => found.map((one) => one.row);
    const include = () => each((found) => fix({ kind: 'include', rows: numbers(found) }));
    const exclude = () => each((found) => fix({ kind: 'exclude', rows: numbers(found) }));
    const fillTo = (from: Range, to: Range) => {
      if (!fits(cellCount(to))) return;
      const [start, end] = rowBounds(to);
      void read(start, end, (found) => {
        const change = fillBlock(from, to, found);
        if (change) fix(change.fix, change.isSeries ? 'fix.counted' : 'fix.filled');
      });
    };
    const corner = (index: number, at: number) => ({ index, column: at });
    const fill = (side: 'above' | 'left', order: readonly number[]) => {
      if (!range) return;
      const [left = 0, right = left] = [range.columns[0], range.columns.at(-1)];
      const before = order[order.indexOf(left) - 1];
      // The source is the first row or column. For a single one it is the row above or the column to the left.
      const from =
        side === 'above'
          ? rangeBetween(order, corner(rows > 1 ? first : first - 1, left), corner(rows > 1 ? first : first - 1, right))
          : rangeBetween(order, corner(first, range.columns.length > 1 ? left : (before ?? left)), corner(last, range.columns.length > 1 ? left : (before ?? left)));
      const to = rangeBetween(order, from.anchor, corner(last, right));
      if (from.anchor.index >= 0) fillTo(from, to);
    };
    return {
      selectionName: nameSelection(view, focused, range),
      count: range ? cellCount(range) : 1,
      rows,
      setCell: (row, at, text) => fix({ kind: 'set', row, column: at, text }),
      clear:
        range
          ? () => {
              if (fits(cellCount(range))) each((found) => fix({ kind: 'paste', rows: numbers(found), columns: range.columns, texts: [['']] }));
            }
          : null,
      fillDown: range ? () => fill('above', range.columns) : null,
      fillRight: range ? (order = range.columns) => fill('left', order) : null,
      fillTo,
      copy: (clipboard, loaded) => {
        if (!range || !fits(cellCount(range))) return;
        const lines = (found: readonly GridRow[]) => found.map((row) => range.columns.map((at) => row.cells[at]?.shown ?? ''));
        const loadedRows = Array.from({ length: rows }, (_, at) => loaded(first + at));
        const found = loadedRows.filter((one) => one !== undefined);
        if (found.length === rows) {
          const texts = lines(found);
          clipboard.setData('text/plain', formatAsText(texts));
          clipboard.setData('text/html', formatAsTable(texts));
          announce(t('fix.copied', { count: cellCount(range) }));
        } else {
          const text = loadRowsBetween(view, filter, first, last).then((all) => formatAsText(lines(all)));
          void copyText(text).then((done) => announce(done ? t('fix.copied', { count: cellCount(range) }) : t('fix.notCopied')));
        }
      },
      paste: (texts, order, rowsShown, show) => {
        if (!range || texts.length === 0) return;
        const { range: to, lostRows, lostColumns } = pasteTarget(texts, range, order, rowsShown);
        if (!fits(cellCount(to))) return;
        const [start, end] = rowBounds(to);
        show(to);
        void read(start, end, (found) => fix({ kind: 'paste', rows: numbers(found), columns: to.columns, texts }, 'fix.pasted'));
        const lost = [
          lostRows.length > 0 && t('fix.lostRows', { count: lostRows.length, rows: nameLostRows(lostRows) }),
          lostColumns > 0 && t('fix.lostColumns', { count: lostColumns }),
        ].filter(Boolean);
        if (lost.length > 0) showWarningNotice(lost.join(' '));
      },
      sameText: cell && help.alike > 0 ? { text: cell.shown, count: help.alike } : null,
      replace: column && cell ? (to) => fix({ kind: 'replace', column: column.index, from: cell.shown, to }) : null,
      exclude: focused && !focused.row.excluded ? { count: rows, run: exclude } : null,
      include: focused?.row.excluded ? { count: rows, run: include } : null,
      isReplacing,
      setReplacing,
    };
  }, [view, filter, focused, fixes, help, isReplacing, t]);
  return useMemo(() => ({ actions: actionsOf(shown), actionsOf }), [actionsOf, shown]);
}

/** Lists the first text of each lost row. */
function nameLostRows(lost: readonly string[][]): string {
  const names = lost.slice(0, MAX_NAMED_ROWS).map((line) => line.find((text) => text !== '') ?? '');
  return names.map((name) => `“${name}”`).join(', ') + (lost.length > MAX_NAMED_ROWS ? '…' : '');
}

/** Returns a cell's Excel name, or the columns of a range. Null if no cell is focused. */
function nameSelection(view: ImportView, focused: FocusedCell | null, range: Range | null): string | null {
  const letter = (index: number | undefined) => view.columns.find((one) => one.index === index)?.letter ?? '';
  if (!focused || focused.column === null) return null;
  if (!range || cellCount(range) === 1) return `${letter(focused.column)}${focused.row.row}`;
  const [left, right] = [letter(range.columns[0]), letter(range.columns.at(-1))];
  return left === right ? left : `${left}:${right}`;
}
