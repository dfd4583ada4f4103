import { type RefObject, useEffect, useRef } from 'react';

import type { Board } from '../boards/board';
import type { MovedTimes } from '../boards/planBoard';
import { topOf, valueAt } from './draw';
import { panBy, itemAtPoint, snapToGrid, zoomAround } from './gestures';
import type { Chart } from './useChart';

type PointerContext = {
  board: Board;
  chart: Chart;
  /** Called with the hovered item (-1 for none), the pointer's position and the chart's width. */
  hover: (item: number, x: number, y: number, width: number) => void;
  open: (item: number) => void;
  /** Null if bars can't be moved. */
  move: { lanes: boolean; ghost: (item: number, moved: MovedTimes | null) => void; drop: (item: number, moved: MovedTimes) => void } | null;
};

type PointerState = { x: number; y: number; item: number; moving: boolean; panning: boolean; moved: MovedTimes | null };

const CLICK_TOLERANCE = 4;

/** Handles wheel and pointer on a chart: zoom, pan, hover, open, and move a bar. */
export function usePointer(frame: RefObject<HTMLElement | null>, pointing: PointerContext): void {
  const now = useRef(pointing);
  useEffect(() => {
    now.current = pointing;
  });
  useEffect(() => {
    const box = frame.current;
    if (!box) return undefined;
    let pointer: PointerState | null = null;
    const place = (event: MouseEvent) => {
      const { left, top } = box.getBoundingClientRect();
      return { x: event.clientX - left, y: event.clientY - top };
    };
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      handleWheel(now.current, event, place(event).x);
    };
    const down = (event: PointerEvent) => {
      const { chart, board } = now.current;
      const area = chart.geometry.current?.area;
      const { x, y } = place(event);
      // The scroll sliders handle their own events.
      if (event.button !== 0 || !area || y > area.y + area.height || x > area.x + area.width) return;
      const item = chart.geometry.current ? itemAtPoint(board, chart.geometry.current, x, y) : -1;
      pointer = { x, y, item, moving: false, panning: false, moved: null };
      now.current.hover(-1, 0, 0, 0);
    };
    const go = (event: PointerEvent) => {
      const { x, y } = place(event);
      const { board, chart, hover, move } = now.current;
      if (!pointer) {
        const inside = event.target instanceof Node && box.contains(event.target);
        hover(chart.geometry.current && inside ? itemAtPoint(board, chart.geometry.current, x, y) : -1, x, y, box.clientWidth);
        return;
      }
      if (!pointer.moving && !pointer.panning && Math.abs(x - pointer.x) + Math.abs(y - pointer.y) < CLICK_TOLERANCE) return;
      if (!pointer.moving && !pointer.panning) {
        pointer.moving = move !== null && pointer.item >= 0;
        pointer.panning = !pointer.moving;
      }
      pointer = pointer.moving ? dragItem(now.current, pointer, x, y) : panToPointer(now.current, pointer, x, y);
    };
    const up = () => {
      const last = pointer;
      pointer = null;
      if (!last) return;
      const { move, open } = now.current;
      if (last.moving && last.moved) move?.drop(last.item, last.moved);
      if (last.moving) move?.ghost(last.item, null);
      if (!last.moving && !last.panning && last.item >= 0) open(last.item);
    };
    const cancel = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || !pointer?.moving) return;
      now.current.move?.ghost(pointer.item, null);
      pointer = null;
    };
    const leave = () => now.current.hover(-1, 0, 0, 0);
    box.addEventListener('wheel', wheel, { passive: false });
    box.addEventListener('pointerdown', down);
    box.addEventListener('pointerleave', leave);
    window.addEventListener('pointermove', go);
    window.addEventListener('pointerup', up);
    window.addEventListener('keydown', cancel);
    return () => {
      box.removeEventListener('wheel', wheel);
      box.removeEventListener('pointerdown', down);
      box.removeEventListener('pointerleave', leave);
      window.removeEventListener('pointermove', go);
      window.removeEventListener('pointerup', up);
      window.removeEventListener('keydown', cancel);
    };
  }, [frame]);
}

/** The wheel zooms the time axis. With Shift, over the names, or without a time axis, it scrolls the rows. */
function handleWheel({ board, chart }: PointerContext, event: WheelEvent, x: number): void {
  const geometry = chart.geometry.current;
  if (!geometry) return;
  const visiblePart = chart.visiblePart();
  const step = Math.sign(event.deltaY);
  if (event.shiftKey || board.axis !== 'time' || x < geometry.area.x) return chart.show(panBy(visiblePart, 0, step * 2 || Math.sign(event.deltaX)));
  if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) return chart.show(panBy(visiblePart, event.deltaX / geometry.unit, 0));
  chart.show(zoomAround(visiblePart, valueAt(geometry, x), 1.2 ** step));
}

function panToPointer({ chart }: PointerContext, pointer: PointerState, x: number, y: number): PointerState {
  const geometry = chart.geometry.current;
  if (!geometry) return pointer;
  const rows = Math.trunc((pointer.y - y) / geometry.band);
  chart.show(panBy(chart.visiblePart(), (pointer.x - x) / geometry.unit, rows));
  return { ...pointer, x, y: pointer.y - rows * geometry.band };
}

function dragItem({ board, chart, move }: PointerContext, pointer: PointerState, x: number, y: number): PointerState {
  const geometry = chart.geometry.current;
  const item = board.items[pointer.item];
  if (!geometry || !item || !move) return pointer;
  const begin = snapToGrid(item.begin + (x - pointer.x) / geometry.unit);
  const row = Math.floor((y - topOf(geometry, 0)) / geometry.band);
  const lane = board.lanes.findIndex(({ first, rows }) => row >= first && row < first + rows);
  const moved = { begin, end: begin + (item.end - item.begin), lane: move.lanes && lane >= 0 ? lane : item.lane };
  move.ghost(pointer.item, moved);
  return { ...pointer, moved };
}
