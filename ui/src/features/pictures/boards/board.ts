import type { Look } from './colors';

/** What is drawn: boxes in rows along an axis. All shapes of pictures become one of these. */
export type Board = {
  /** Time is the site's wall clock, in milliseconds as if it were UTC. */
  axis: 'time' | 'number' | 'duration';
  lanes: Lane[];
  boxes: Boxes;
  looks: Look[];
  items: Item[];
  /** The axis' ends, and the part of it that is shown first. */
  ends: Span;
  first: Span;
  now: number | null;
  /** Boxes behind the others, made for what is visible. */
  behind: ((visible: Span) => Boxes) | null;
};

export type Span = { from: number; to: number };

/** A name, and the rows that belong to it. */
export type Lane = { name: string; first: number; rows: number };

/** One entry per box. */
export type Boxes = {
  row: number[];
  begin: number[];
  end: number[];
  /** An index into the board's looks. */
  look: number[];
  /** An index into the board's items; -1 where it is none. */
  item: number[];
};

/** What can be pointed at, gone to with the keys, and opened. */
export type Item = {
  label: string;
  lane: number;
  row: number;
  begin: number;
  end: number;
  /** Positions in the set. */
  rows: readonly number[];
  /** A word that says what its colour says. */
  word?: string | undefined;
};

export function noBoxes(): Boxes {
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

/** Lanes below each other, with as many rows as each needs. */
export function stacked(names: readonly string[], rows: (lane: number) => number): Lane[] {
  let first = 0;
  return names.map((name, lane) => {
    const made = { name, first, rows: Math.max(1, rows(lane)) };
    first += made.rows;
    return made;
  });
}

/** Both ends with some room, so that nothing sticks to the edge. */
export function roomy({ from, to }: Span): Span {
  const room = Math.max((to - from) * 0.02, 1);
  return { from: from - room, to: to + room };
}

/** The item whose box is at a place; the one that is drawn last wins. */
export function itemAt({ boxes, looks }: Board, row: number, within: number, at: number, reach: number): number {
  for (let box = boxes.row.length - 1; box >= 0; box -= 1) {
    const look = looks[boxes.look[box] ?? -1];
    const item = boxes.item[box] ?? -1;
    if (item < 0 || boxes.row[box] !== row || !look || within < look.top || within > look.bottom) continue;
    if ((boxes.begin[box] ?? 0) - reach <= at && at <= (boxes.end[box] ?? 0) + reach) return item;
  }
  return -1;
}
