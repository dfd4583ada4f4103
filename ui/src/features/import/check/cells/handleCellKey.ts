import type { GridApi } from 'ag-grid-community';
import { runClipboardKey } from '@/base/clipboardKeys';

import { type CellPlace, type GridRow, type ImportView, type RowFilter, commands } from '@/ipc/bindings';
import type { MenuPosition } from './actions';
import type { CellCommand } from './cellKeys';
import type { Range } from './cellRange';
import type { GridSelection } from './gridSelection';

export type CellKeyContext = {
  api: GridApi<GridRow>;
  selection: GridSelection;
  view: ImportView;
  filter: RowFilter;
  /** The grid's element. */
  gridElement: HTMLElement;
  select: (range: Range) => void;
  onMenu: (place: MenuPosition) => void;
  /** Focuses the note's suggestions. Returns false if there are none. */
  enterNote: () => boolean;
  /** Closes the cell's note. Returns false if none is open. */
  closeNote: () => boolean;
};

/** Runs a key's command. Returns false if the page may handle the key. */
export function handleCellKey(key: CellCommand, context: CellKeyContext): boolean {
  const { selection } = context;
  const { actions } = selection;
  switch (key.does) {
    case 'extend':
      return moveToCell(context, offsetCell(headCell(context), key.rows, key.columns, context), true);
    case 'jump':
      void jumpToEdge(key, context);
      return true;
    case 'corner':
      return moveToCell(context, { index: key.last ? context.api.getDisplayedRowCount() - 1 : 0, column: edgeColumn(context, key.last) }, key.extends);
    case 'line':
      return moveToCell(context, { index: headCell(context).index, column: edgeColumn(context, key.last) }, key.extends);
    case 'all':
      selection.begin({ index: 0, column: edgeColumn(context, false) });
      context.select(selection.extend({ index: Math.max(context.api.getDisplayedRowCount() - 1, 0), column: edgeColumn(context, true) }));
      return true;
    case 'clear':
      actions?.clear?.();
      return true;
    case 'down':
      actions?.fillDown?.();
      return true;
    case 'right':
      actions?.fillRight?.(selection.order);
      return true;
    case 'replace':
      actions?.setReplacing(true);
      return true;
    case 'copy':
    case 'paste':
      return runClipboardKey(key.does, context.gridElement);
    case 'suggestions':
      return context.enterNote();
    case 'escape':
      return context.closeNote();
    case 'menu': {
      const cell = document.activeElement instanceof HTMLElement ? document.activeElement : null;
      const rect = cell?.getBoundingClientRect();
      if (rect) context.onMenu({ left: rect.left, top: rect.bottom, back: cell });
      return true;
    }
  }
}

function headCell({ api, selection }: CellKeyContext): CellPlace {
  const focused = api.getFocusedCell();
  return selection.range?.head ?? { index: focused?.rowIndex ?? 0, column: selection.order[0] ?? 0 };
}

function edgeColumn({ selection }: CellKeyContext, last: boolean): number {
  return (last ? selection.order.at(-1) : selection.order[0]) ?? 0;
}

function offsetCell({ index, column }: CellPlace, rows: number, columns: number, { api, selection }: CellKeyContext): CellPlace {
  const at = Math.min(Math.max(selection.order.indexOf(column) + columns, 0), selection.order.length - 1);
  return { index: Math.min(Math.max(index + rows, 0), api.getDisplayedRowCount() - 1), column: selection.order[at] ?? column };
}

/** Moves the focus to a cell, or extends the selection to it. */
export function moveToCell({ api, selection, select }: Pick<CellKeyContext, 'api' | 'selection' | 'select'>, to: CellPlace, extending: boolean): boolean {
  api.ensureIndexVisible(to.index);
  api.ensureColumnVisible(String(to.column));
  if (extending) select(selection.extend(to));
  else {
    const range = selection.begin(to);
    if (range) select(range);
    api.setFocusedCell(to.index, String(to.column));
  }
  return true;
}

/** Handles Ctrl+arrow, which jumps to the end of a block of values as in Excel. */
async function jumpToEdge(key: CellCommand & { does: 'jump' }, context: CellKeyContext): Promise<void> {
  const from = headCell(context);
  if (key.rows === 0) moveToCell(context, { index: from.index, column: jumpColumn(from, key.columns, context) }, key.extends);
  else {
    const index = await commands.importDataEdge(context.view.id, context.filter, from, key.rows > 0).catch(() => from.index);
    // If the user has moved the focus in the meantime, the jump is discarded.
    const now = headCell(context);
    if (now.index === from.index && now.column === from.column) moveToCell(context, { index, column: from.column }, key.extends);
  }
}

function jumpColumn(from: CellPlace, step: number, { api, selection }: CellKeyContext): number {
  const row = api.getDisplayedRowAtIndex(from.index)?.data;
  const hasText = (column: number) => (row?.cells[column]?.shown ?? '') !== '';
  const at = selection.order.indexOf(from.column);
  const columnsAhead = step > 0 ? selection.order.slice(at + 1) : selection.order.slice(0, at).toReversed();
  const [next] = columnsAhead;
  if (next === undefined) return from.column;
  if (hasText(from.column) && hasText(next)) {
    const gap = columnsAhead.findIndex((column) => !hasText(column));
    return columnsAhead[(gap < 0 ? columnsAhead.length : gap) - 1] ?? next;
  }
  return columnsAhead.find(hasText) ?? columnsAhead.at(-1) ?? from.column;
}
