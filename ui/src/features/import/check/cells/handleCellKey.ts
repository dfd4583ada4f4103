import type { GridApi } from 'ag-grid-community';

import { type CellPlace, type GridRow, type ImportView, type RowFilter, commands } from '@/ipc/bindings';
import type { Place } from './actions';
import type { CellKey } from './cellKeys';
import type { Range } from './cellRange';
import { runClipboardKey } from './clipboardKeys';
import type { GridSelection } from './gridSelection';

export type CellKeyContext = {
  api: GridApi<GridRow>;
  shared: GridSelection;
  view: ImportView;
  filter: RowFilter;
  /** The grid's element. */
  gridElement: HTMLElement;
  select: (range: Range) => void;
  onMenu: (place: Place) => void;
  /** Focuses the note's suggestions. Returns false if there are none. */
  enterNote: () => boolean;
  /** Closes the cell's note. Returns false if none is open. */
  closeNote: () => boolean;
};

/** Runs a key's command. Returns false if the page may handle the key. */
export function handleCellKey(key: CellKey, at: CellKeyContext): boolean {
  const { shared } = at;
  const { actions } = shared;
  switch (key.does) {
    case 'extend':
      return moveTo(at, moved(head(at), key.rows, key.columns, at), true);
    case 'jump':
      void jumpToEdge(key, at);
      return true;
    case 'corner':
      return moveTo(at, { index: key.last ? at.api.getDisplayedRowCount() - 1 : 0, column: end(at, key.last) }, key.extends);
    case 'line':
      return moveTo(at, { index: head(at).index, column: end(at, key.last) }, key.extends);
    case 'all':
      shared.begin({ index: 0, column: end(at, false) });
      at.select(shared.extend({ index: Math.max(at.api.getDisplayedRowCount() - 1, 0), column: end(at, true) }));
      return true;
    case 'clear':
      actions?.clear?.();
      return true;
    case 'down':
      actions?.fillDown?.();
      return true;
    case 'right':
      actions?.fillRight?.(shared.order);
      return true;
    case 'replace':
      actions?.ask(true);
      return true;
    case 'copy':
    case 'paste':
      return runClipboardKey(key.does, at.gridElement);
    case 'suggestions':
      return at.enterNote();
    case 'escape':
      return at.closeNote();
    case 'menu': {
      const cell = document.activeElement instanceof HTMLElement ? document.activeElement : null;
      const rect = cell?.getBoundingClientRect();
      if (rect) at.onMenu({ left: rect.left, top: rect.bottom, back: cell });
      return true;
    }
  }
}

function head({ api, shared }: CellKeyContext): CellPlace {
  const focused = api.getFocusedCell();
  return shared.range?.head ?? { index: focused?.rowIndex ?? 0, column: shared.order[0] ?? 0 };
}

function end({ shared }: CellKeyContext, last: boolean): number {
  return (last ? shared.order.at(-1) : shared.order[0]) ?? 0;
}

function moved({ index, column }: CellPlace, rows: number, columns: number, { api, shared }: CellKeyContext): CellPlace {
  const at = Math.min(Math.max(shared.order.indexOf(column) + columns, 0), shared.order.length - 1);
  return { index: Math.min(Math.max(index + rows, 0), api.getDisplayedRowCount() - 1), column: shared.order[at] ?? column };
}

/** Moves the focus to a cell, or extends the selection to it. */
export function moveTo({ api, shared, select }: Pick<CellKeyContext, 'api' | 'shared' | 'select'>, to: CellPlace, extending: boolean): boolean {
  api.ensureIndexVisible(to.index);
  api.ensureColumnVisible(String(to.column));
  if (extending) select(shared.extend(to));
  else {
    const range = shared.begin(to);
    if (range) select(range);
    api.setFocusedCell(to.index, String(to.column));
  }
  return true;
}

/** Handles Ctrl+arrow, which jumps to the end of a block of values as in Excel. */
async function jumpToEdge(key: CellKey & { does: 'jump' }, at: CellKeyContext): Promise<void> {
  const from = head(at);
  if (key.rows === 0) moveTo(at, { index: from.index, column: across(from, key.columns, at) }, key.extends);
  else {
    const index = await commands.importDataEdge(at.view.id, at.filter, from, key.rows > 0).catch(() => from.index);
    // If the user has moved the focus in the meantime, the jump is discarded.
    const now = head(at);
    if (now.index === from.index && now.column === from.column) moveTo(at, { index, column: from.column }, key.extends);
  }
}

function across(from: CellPlace, step: number, { api, shared }: CellKeyContext): number {
  const row = api.getDisplayedRowAtIndex(from.index)?.data;
  const holds = (column: number) => (row?.cells[column]?.shown ?? '') !== '';
  const at = shared.order.indexOf(from.column);
  const way = step > 0 ? shared.order.slice(at + 1) : shared.order.slice(0, at).toReversed();
  const [next] = way;
  if (next === undefined) return from.column;
  if (holds(from.column) && holds(next)) {
    const gap = way.findIndex((column) => !holds(column));
    return way[(gap < 0 ? way.length : gap) - 1] ?? next;
  }
  return way.find(holds) ?? way.at(-1) ?? from.column;
}
