import type { SpansView, PlanStatus, WeekView } from '@/ipc/bindings';
import { type Board, type Boxes, type Item, type Lane, type Span, addBox, createBoxes, withMargin, stackLanes } from './board';
import { planLooks } from './boxStyles';
import type { Look } from './colors';
import { offShiftTimes } from './weekBoard';

/** A moved bar's new times in milliseconds, and its lane. */
export type MovedTimes = { begin: number; end: number; lane: number };

type PlanWords = { none: string; standing: (standing: PlanStatus) => string };

const [planned, waiting, overdue, real, late, moved, off, stoppage, running, overrun] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const;
const looks: Look[] = [planLooks.planned, planLooks.waiting, planLooks.overdue, planLooks.real, planLooks.late, planLooks.moved, planLooks.off, planLooks.stoppage, planLooks.running, planLooks.overrun];

const plannedLook: Record<PlanStatus, number> = { fine: planned, late: planned, overdue, waiting };
const SECOND = 1000;
const WEEK = 7 * 24 * 3600 * SECOND;

/** Builds a board of work orders by station. Planned bars are drawn above actual bars. */
export function planBoard(view: SpansView, now: number, calendar: WeekView | null, moves: ReadonlyMap<number, MovedTimes>, words: PlanWords): Board {
  const lanes = stackLanes(view.lanes.map((lane) => lane || words.none), (lane) => view.tracks[lane] ?? 1);
  const boxes = createBoxes();
  const movedBars: { line: number; move: MovedTimes; at: number }[] = [];
  const items: Item[] = view.rows.map((row, at) => {
    const move = moves.get(row);
    const lane = move?.lane ?? view.lane[at] ?? 0;
    const line = (lanes[lane]?.first ?? 0) + Math.min(view.track[at] ?? 0, (lanes[lane]?.rows ?? 1) - 1);
    const standing = view.standing[at] ?? 'fine';
    const plannedSpan = move ?? toMilliseconds(view.firstBegin[at], view.firstEnd[at], now);
    const actualSpan = toMilliseconds(view.secondBegin[at], view.secondEnd[at], now);
    if (move) movedBars.push({ line, move, at });
    else if (plannedSpan) addBox(boxes, line, plannedSpan.begin, plannedSpan.end, plannedLook[standing], at);
    // An actual bar stays in place when its planned bar is moved.
    const ground = (lanes[view.lane[at] ?? 0]?.first ?? 0) + (view.track[at] ?? 0);
    const ended = isKnown(view.secondEnd[at]);
    if (actualSpan) addBox(boxes, ground, actualSpan.begin, actualSpan.end, actualLook(standing, ended), at);
    const mainSpan = plannedSpan ?? actualSpan ?? { begin: now, end: now };
    return { label: view.label[at] ?? '', lane, row: line, ...mainSpan, rows: [row], word: standingText(standing, words) };
  });
  // Moved bars are drawn last. So they are on top and can be moved again.
  for (const { line, move, at } of movedBars) addBox(boxes, line, move.begin, move.end, moved, at);
  const range = withMargin(timeRangeOf(boxes, now));
  return { axis: 'time', lanes, boxes, looks, items, range, initialRange: initialRangeOf(range, now), now, background: background(lanes, view.lanes, calendar) };
}

function actualLook(standing: PlanStatus, ended: boolean): number {
  const isLate = standing === 'late' || standing === 'overdue';
  if (ended) return isLate ? late : real;
  return isLate ? overrun : running;
}

function standingText(standing: PlanStatus, words: PlanWords): string | undefined {
  return standing === 'fine' ? undefined : words.standing(standing);
}

export function isKnown(timestamp: number | null | undefined): timestamp is number {
  return timestamp !== null && timestamp !== undefined;
}

/** Returns a span in milliseconds. Without an end, it lasts until now. Null if its begin is unknown. */
export function toMilliseconds(begin: number | null | undefined, end: number | null | undefined, now: number): { begin: number; end: number } | null {
  if (!isKnown(begin)) return null;
  const from = begin * SECOND;
  return { begin: from, end: Math.max(from, isKnown(end) ? end * SECOND : now) };
}

export function timeRangeOf(boxes: Boxes, now: number): Span {
  let from = Infinity;
  let to = -Infinity;
  for (const begin of boxes.begin) from = Math.min(from, begin);
  for (const end of boxes.end) to = Math.max(to, end);
  return from <= to ? { from, to: Math.max(to, from + 1) } : { from: now - WEEK, to: now + WEEK };
}

/**
 * Returns the initially visible range: from half a week before now to one week after it. Everything is visible if that is at most
 * two weeks or doesn't include now.
 */
export function initialRangeOf(range: Span, now: number): Span {
  if (range.to - range.from <= 2 * WEEK || now < range.from || now > range.to) return range;
  const from = Math.max(range.from, now - WEEK / 2);
  return { from, to: Math.min(range.to, from + 1.5 * WEEK) };
}

/** Maximum visible range with a background. In a longer range, shifts would be thinner than a pixel. */
const MAX_BACKGROUND_RANGE = 5 * WEEK;

function background(lanes: Lane[], names: readonly string[], calendar: WeekView | null): Board['background'] {
  if (!calendar) return null;
  const laneIndex = new Map(calendar.lanes.map((name, at) => [name, at]));
  return (visible) => {
    const boxes = createBoxes();
    if (visible.to - visible.from > MAX_BACKGROUND_RANGE) return boxes;
    lanes.forEach((lane, at) => {
      const of = laneIndex.get(names[at] ?? '');
      if (of === undefined) return;
      const fill = (begin: number, end: number, look: number) => {
        for (let row = lane.first; row < lane.first + lane.rows; row += 1) addBox(boxes, row, begin, end, look, -1);
      };
      for (const { begin, end } of offShiftTimes(calendar, of, visible)) fill(begin, end, off);
      calendar.stoppageLane.forEach((stopped, index) => {
        const begin = (calendar.stoppageBegin[index] ?? 0) * SECOND;
        const end = (calendar.stoppageEnd[index] ?? 0) * SECOND;
        if (stopped === of && begin < visible.to && end > visible.from) fill(begin, end, stoppage);
      });
    });
    return boxes;
  };
}
