import type { GridApi } from 'ag-grid-community';
import { type MouseEvent, type RefObject, useEffect, useRef } from 'react';

import type { CellPlace, GridRow } from '@/ipc/bindings';
import { dragTarget } from './blockEdits';
import { isTextInput } from '@/base/clipboardKeys';
import type { Range } from './cellRange';
import type { GridSelection } from './gridSelection';
import { cellPosition } from './selectionMarks';

type Props = {
  container: RefObject<HTMLElement | null>;
  grid: RefObject<GridApi<GridRow> | null>;
  selection: GridSelection;
  select: (range: Range) => void;
  /** Shows the range that the fill handle would fill. */
  paint: () => void;
};

/** Size of the fill handle's hit area, in pixels. */
const HANDLE_SIZE = 9;
/** Time in which dragging beyond the grid's edge scrolls by one row, in milliseconds. */
const SCROLL_INTERVAL = 40;

/** Selects cells by dragging, or fills them if the drag started at the fill handle. Shift+click extends the selection. */
export function useCellDrag({ container, grid, selection, select, paint }: Props): (event: MouseEvent) => void {
  const stop = useRef<(() => void) | null>(null);
  useEffect(() => () => stop.current?.(), []);

  const drag = (fills: Range | null) => {
    let beyond = 0;
    const reach = (to: CellPlace) => {
      if (fills) {
        selection.update({ filling: dragTarget(fills, to, selection.order) });
        paint();
      } else if (selection.range && (selection.range.head.index !== to.index || selection.range.head.column !== to.column)) select(selection.extend(to));
    };
    const farthest = () => {
      const { filling, range } = selection;
      const last = fills && filling ? (beyond > 0 ? filling.head : filling.anchor) : range?.head;
      return last ?? null;
    };
    const roll = setInterval(() => {
      const [api, last] = [grid.current, farthest()];
      if (beyond === 0 || !api || !last) return;
      const index = Math.min(Math.max(last.index + beyond, 0), api.getDisplayedRowCount() - 1);
      api.ensureIndexVisible(index);
      reach({ index, column: last.column });
    }, SCROLL_INTERVAL);
    const move = (event: globalThis.MouseEvent) => {
      // The mouse button was released outside the window.
      if (event.buttons === 0) return end();
      const rows = container.current?.querySelector('.ag-grid-viewport, .ag-body-viewport')?.getBoundingClientRect();
      beyond = !rows ? 0 : event.clientY > rows.bottom ? 1 : event.clientY < rows.top ? -1 : 0;
      const over = cellPosition(document.elementFromPoint(event.clientX, event.clientY));
      if (over && beyond === 0) reach(over);
      return undefined;
    };
    const end = () => {
      clearInterval(roll);
      document.removeEventListener('mousemove', move);
      document.removeEventListener('mouseup', end);
      stop.current = null;
      const to = selection.filling;
      selection.update({ filling: null });
      if (!fills || !to) return;
      select(to);
      selection.actions?.fillTo(fills, to);
    };
    stop.current = end;
    document.addEventListener('mousemove', move);
    document.addEventListener('mouseup', end);
  };

  return (event) => {
    const to = cellPosition(event.target);
    if (event.button !== 0 || !to || isTextInput(event.target) || !(event.target instanceof Element)) return;
    const corner = event.target.closest('.ag-cell')?.getBoundingClientRect();
    const { range } = selection;
    const isLast = range && range.columns.at(-1) === to.column && Math.max(range.anchor.index, range.head.index) === to.index;
    const isHandle = isLast && corner && corner.right - event.clientX < HANDLE_SIZE && corner.bottom - event.clientY < HANDLE_SIZE;
    if (isHandle || (event.shiftKey && range)) {
      // Without this, the grid would move the focus away from the start of the range.
      event.preventDefault();
      event.stopPropagation();
      if (!isHandle) select(selection.extend(to));
    } else {
      const newRange = selection.begin(to) ?? selection.extend(to);
      select(newRange);
    }
    drag(isHandle ? range : null);
  };
}
