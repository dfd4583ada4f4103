import { type Board, type Item, itemAt } from '../boards/board';
import type { VisiblePart } from './chartOption';
import { type Geometry, topOf, valueAt } from './draw';

/** Zooms by a factor around a value. */
export function zoomAround(shown: VisiblePart, around: number, factor: number): VisiblePart {
  return { ...shown, from: around - (around - shown.from) * factor, to: around + (shown.to - around) * factor };
}

export function panBy(shown: VisiblePart, by: number, rows: number): VisiblePart {
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
  const itemOf = (at: number) => items[at] ?? { lane: 0, begin: 0, row: 0 };
  return order.toSorted((a, b) => itemOf(a).lane - itemOf(b).lane || itemOf(a).begin - itemOf(b).begin || itemOf(a).row - itemOf(b).row);
}

/** Returns the item to focus after a key press: along the lane, or the nearest in time in the next lane. */
export function nextItem(items: readonly Item[], order: readonly number[], from: number, key: string): number {
  const at = order.indexOf(from);
  if (at < 0) return order[0] ?? -1;
  if (key === 'Home') return order[0] ?? from;
  if (key === 'End') return order.at(-1) ?? from;
  if (key === 'ArrowRight') return order[at + 1] ?? from;
  if (key === 'ArrowLeft') return order[at - 1] ?? from;
  const focusedItem = items[from];
  if (!focusedItem) return from;
  const down = key === 'ArrowDown';
  const lanes = order.map((one) => items[one]?.lane ?? 0);
  const lanesInDirection = lanes.filter((lane) => (down ? lane > focusedItem.lane : lane < focusedItem.lane));
  if (lanesInDirection.length === 0) return from;
  const lane = down ? Math.min(...uniqueNumbers(lanesInDirection)) : Math.max(...uniqueNumbers(lanesInDirection));
  const within = order.filter((_, place) => lanes[place] === lane);
  const distance = (one: number) => Math.abs((items[one]?.begin ?? 0) - focusedItem.begin);
  return within.reduce((best, one) => (distance(one) < distance(best) ? one : best), within[0] ?? from);
}

function uniqueNumbers(numbers: readonly number[]): number[] {
  return [...new Set(numbers)];
}

/** Scrolls so that an item is visible. */
export function scrollIntoView(shown: VisiblePart, item: Item): VisiblePart {
  const length = shown.to - shown.from;
  const outside = item.end < shown.from || item.begin > shown.to;
  const from = outside ? (item.begin + item.end) / 2 - length / 2 : shown.from;
  const row = item.row < shown.row ? item.row : Math.max(shown.row, item.row - shown.rows + 1);
  return { ...shown, from, to: from + length, row };
}

/** Step to which moved bars snap, in milliseconds. */
export const SNAP_INTERVAL = 5 * 60_000;

export function snapToGrid(moment: number): number {
  return Math.round(moment / SNAP_INTERVAL) * SNAP_INTERVAL;
}
