import type { CellKeyDownEvent, FullWidthCellKeyDownEvent } from 'ag-grid-community';

import type { GridRow } from '@/ipc/bindings';
import type { Place } from './FixMenu';
import type { Range } from './cellRange';
import type { GridSelection } from './gridSelection';

type Pressed = CellKeyDownEvent<GridRow> | FullWidthCellKeyDownEvent<GridRow>;

/** Keys with a meaning of their own on a cell that isn't being edited; the grid leaves them alone. */
export function isOwnKey(event: KeyboardEvent): boolean {
  const control = event.ctrlKey || event.metaKey;
  if (event.key === 'Delete' || event.key === 'ContextMenu') return true;
  if (event.shiftKey && !control) return ['ArrowDown', 'ArrowUp', 'F10'].includes(event.key);
  return control && event.key.toLowerCase() === 'd';
}

/** Keeps the page from scrolling by a key that the grid acts on; the grid itself only tells of a key after that. */
export function keepStill(event: KeyboardEvent): void {
  const { target } = event;
  if (!(target instanceof HTMLElement) || target.matches('input, textarea') || !target.closest('.ag-cell')) return;
  if (isOwnKey(event)) event.preventDefault();
}

/** Delete clears, Shift with an arrow draws, Ctrl+D fills down, and the menu key opens the menu: as in Excel. */
export function cellKey(pressed: Pressed, shared: GridSelection, onRange: (range: Range) => void, onMenu: (place: Place) => void): void {
  const { api, event, rowIndex } = pressed;
  if (!(event instanceof KeyboardEvent) || !('column' in pressed) || !isOwnKey(event)) return;
  if (rowIndex === null || api.getEditingCells().length > 0) return;
  event.preventDefault();
  const { actions, range } = shared;
  const column = Number(pressed.column.getColId());
  if (event.key === 'Delete') actions?.clear?.();
  else if (event.key === 'ContextMenu' || event.key === 'F10') {
    const cell = event.target instanceof HTMLElement ? event.target : null;
    const at = cell?.getBoundingClientRect();
    if (at) onMenu({ left: at.left, top: at.bottom, back: cell });
  } else if (event.key.startsWith('Arrow')) {
    if (Number.isNaN(column)) return;
    const from = range?.column === column ? range : { column, from: rowIndex, to: rowIndex };
    const to = Math.min(Math.max(from.to + (event.key === 'ArrowDown' ? 1 : -1), 0), api.getDisplayedRowCount() - 1);
    api.ensureIndexVisible(to);
    const drawn = { column, from: from.from, to };
    // The next key may come before the page was drawn anew: it goes on from here.
    shared.take({ range: drawn });
    onRange(drawn);
  } else actions?.fill?.();
}
