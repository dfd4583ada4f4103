import type { Item } from '../boards/board';
import { type Geometry, topOf, xOf } from './draw';

/** A position on a board. */
export type Box = { row: number; begin: number; end: number };

export function boxOf({ row, begin, end }: Item): Box {
  return { row, begin, end };
}

/** Positions an element over a part of the chart, and hides it if that isn't visible. */
export function placeElement(element: HTMLElement | null, geometry: Geometry | null, box: Box | null): void {
  if (!element) return;
  const { area } = geometry ?? { area: { x: 0, y: 0, width: 0, height: 0 } };
  const top = geometry && box ? topOf(geometry, box.row) : -1;
  const left = geometry && box ? Math.max(area.x, xOf(geometry, box.begin)) : 0;
  const right = geometry && box ? Math.min(area.x + area.width, xOf(geometry, box.end)) : 0;
  const hidden = !geometry || !box || right < area.x || left > area.x + area.width || top < area.y - 1 || top >= area.y + area.height;
  element.hidden = hidden;
  if (hidden || !geometry) return;
  element.style.left = `${left - 2}px`;
  element.style.top = `${top}px`;
  element.style.width = `${Math.max(4, right - left + 4)}px`;
  element.style.height = `${geometry.band}px`;
}
