import type { Look } from './colors';

/** The drawing of a picture: boxes in rows along an axis. */
export type Board = {
  /** The unit of the axis. Time is the site's local time in milliseconds, as if it were UTC. */
  axis: 'time' | 'number' | 'duration';
  lanes: Lane[];
  boxes: Boxes;
  looks: Look[];
  items: Item[];
  /** The range of the axis. */
  range: Span;
  /** The part of the axis that is visible at first. */
  initialRange: Span;
  now: number | null;
  /** Returns background boxes for the visible range. */
  background: ((visible: Span) => Boxes) | null;
};

export type Span = { from: number; to: number };

/** A named group of consecutive rows. `first` is the index of its first row. */
export type Lane = { name: string; first: number; rows: number };

/** The boxes as parallel arrays, with one entry per box. */
export type Boxes = {
  row: number[];
  begin: number[];
  end: number[];
  /** Index into the board's looks. */
  look: number[];
  /** Index into the board's items, -1 if there is none. */
  item: number[];
};

/** An item that can be hovered, focused and opened. */
export type Item = {
  label: string;
  lane: number;
  row: number;
  begin: number;
  end: number;
  /** The item's rows, as positions in the set. */
  rows: readonly number[];
  /** The meaning of the item's color, as a word. */
  word?: string | undefined;
};

export function createBoxes(): Boxes {
  return { row: [], begin: [], end: [], look: [], item: [] };
}

export function addBox(boxes: Boxes, row: number, begin: number, end: number, look: number, item: number): void {
  boxes.row.push(row);
  boxes.begin.push(begin);
  boxes.end.push(end);
  boxes.look.push(look);
  boxes.item.push(item);
}

export function rowsOf(lanes: readonly Lane[]): number {
  const last = lanes.at(-1);
  return last ? last.first + last.rows : 0;
}

/** Builds lanes one below the other. Each lane has at least one row. */
export function stackLanes(names: readonly string[], rows: (lane: number) => number): Lane[] {
  let first = 0;
  return names.map((name, index) => {
    const lane = { name, first, rows: Math.max(1, rows(index)) };
    first += lane.rows;
    return lane;
  });
}

/** Extends a range at both ends, so that boxes don't touch the edge. */
export function withMargin({ from, to }: Span): Span {
  const room = Math.max((to - from) * 0.02, 1);
  return { from: from - room, to: to + room };
}

/** Returns the index of the item at a position, -1 if there is none. The topmost box wins. */
export function itemAt({ boxes, looks }: Board, row: number, heightInRow: number, at: number, tolerance: number): number {
  for (let box = boxes.row.length - 1; box >= 0; box -= 1) {
    const look = looks[boxes.look[box] ?? -1];
    const item = boxes.item[box] ?? -1;
    if (item < 0 || boxes.row[box] !== row || !look || heightInRow < look.top || heightInRow > look.bottom) continue;
    if ((boxes.begin[box] ?? 0) - tolerance <= at && at <= (boxes.end[box] ?? 0) + tolerance) return item;
  }
  return -1;
}
