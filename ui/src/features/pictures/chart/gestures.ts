import { type Board, type Item, itemAt } from '../boards/board';
import type { Shown } from './chartOption';
import { type Geometry, topOf, valueAt } from './draw';

/** Zooms by a factor around a value. */
export function zoomAround(shown: Shown, around: number, factor: number): Shown {
  return { ...shown, from: around - (around - shown.from) * factor, to: around + (shown.to - around) * factor };
}

export function panBy(shown: Shown, by: number, rows: number): Shown {
  return { ...shown, from: shown.from + by, to: shown.to + by, row: shown.row + rows };
}

/** Returns the index of the item at a position on the canvas, -1 if there is none. */
export function itemAtPoint(board: Board, geometry: Geometry, x: number, y: number): number {
  const { area, band } = geometry;
  if (x < area.x || x > area.x + area.width || y < area.y || y > area.y + area.height) return -1;
  const row = Math.floor((y - topOf(geometry, 0)) / band);
  const within = (y - topOf(geometry, row)) / band;
  return itemAt(board, row, within, valueAt(geometry, x), 2 / Math.abs(geometry.unit));
}

/** Returns the items' indexes by lane, and within a lane by time. */
export function readingOrder(items: readonly Item[]): number[] {
  const order = items.map((_, at) => at);
  const of = (at: number) => items[at] ?? { lane: 0, begin: 0, row: 0 };
  return order.toSorted((a, b) => of(a).lane - of(b).lane || of(a).begin - of(b).begin || of(a).row - of(b).row);
}

/** Returns the item to focus after a key press: along the lane, or the nearest in time in the next lane. */
export function nextItem(items: readonly Item[], order: readonly number[], from: number, key: string): number {
  const at = order.indexOf(from);
  if (at < 0) return order[0] ?? -1;
  if (key === 'Home') return order[0] ?? from;
  if (key === 'End') return order.at(-1) ?? from;
  if (key === 'ArrowRight') return order[at + 1] ?? from;
  if (key === 'ArrowLeft') return order[at - 1] ?? from;
  const here = items[from];
  if (!here) return from;
  const down = key === 'ArrowDown';
  const lanes = order.map((one) => items[one]?.lane ?? 0);
  const beyond = lanes.filter((lane) => (down ? lane > here.lane : lane < here.lane));
  if (beyond.length === 0) return from;
  const lane = down ? Math.min(...unique(beyond)) : Math.max(...unique(beyond));
  const within = order.filter((_, place) => lanes[place] === lane);
  const far = (one: number) => Math.abs((items[one]?.begin ?? 0) - here.begin);
  return within.reduce((best, one) => (far(one) < far(best) ? one : best), within[0] ?? from);
}

function unique(numbers: readonly number[]): number[] {
  return [...new Set(numbers)];
}

/** Scrolls so that an item is visible. */
export function scrollIntoView(shown: Shown, item: Item): Shown {
  const length = shown.to - shown.from;
  const outside = item.end < shown.from || item.begin > shown.to;
  const from = outside ? (item.begin + item.end) / 2 - length / 2 : shown.from;
  const row = item.row < shown.row ? item.row : Math.max(shown.row, item.row - shown.rows + 1);
  return { ...shown, from, to: from + length, row };
}

/** Step to which moved bars snap, in milliseconds. */
export const GRID_STEP = 5 * 60_000;

export function snapToGrid(moment: number): number {
  return Math.round(moment / GRID_STEP) * GRID_STEP;
}
