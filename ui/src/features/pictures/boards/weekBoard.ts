import type { WeekView } from '@/ipc/bindings';
import { type Board, type Item, type Span, addBox, createBoxes, stackLanes } from './board';
import { shiftLooks, stoppageLook } from './boxStyles';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const WEEK = 7 * DAY;
/** The first Monday after the epoch, in milliseconds. The epoch was a Thursday. */
const FIRST_MONDAY = 4 * DAY;

type Times = { begin: number; end: number };

/** Returns the start of a timestamp's week, Monday at midnight. */
function weekOf(moment: number): number {
  return Math.floor((moment - FIRST_MONDAY) / WEEK) * WEEK + FIRST_MONDAY;
}

/** Yields the shifts of a lane that overlap a range. `at` is a shift's index in the view. */
function* shiftsIn(view: WeekView, lane: number, { from, to }: Span): Generator<Times & { at: number }> {
  for (let start = weekOf(from) - WEEK; start < to; start += WEEK) {
    for (let at = 0; at < view.shiftLane.length; at += 1) {
      if (view.shiftLane[at] !== lane) continue;
      const midnight = start + ((view.shiftDay[at] ?? 1) - 1) * DAY;
      const begin = midnight + (view.shiftBegin[at] ?? 0) * MINUTE;
      const end = midnight + (view.shiftEnd[at] ?? 0) * MINUTE;
      if (begin < to && end > from) yield { at, begin, end };
    }
  }
}

/** Returns the times outside of a lane's shifts. Empty if the lane's shifts are unknown. */
export function offShiftTimes(view: WeekView, lane: number, visible: Span): Times[] {
  const shifts = [...shiftsIn(view, lane, visible)].toSorted((a, b) => a.begin - b.begin);
  if (!view.shiftLane.includes(lane)) return [];
  const off: Times[] = [];
  let offShiftBegin = visible.from;
  for (const { begin, end } of shifts) {
    if (begin > offShiftBegin) off.push({ begin: offShiftBegin, end: begin });
    offShiftBegin = Math.max(offShiftBegin, end);
  }
  if (offShiftBegin < visible.to) off.push({ begin: offShiftBegin, end: visible.to });
  return off;
}

const MAX_LANES = 400;

/** Builds a board of shifts and planned stoppages by station, for five weeks beginning with the current one. */
export function weekBoard(view: WeekView, now: number): Board {
  const names = view.lanes.slice(0, MAX_LANES).map((lane, at) => [lane, view.labels[at] ?? ''].filter(Boolean).join(' · '));
  const lanes = stackLanes(names, () => 1);
  const start = weekOf(now);
  const range = { from: start - WEEK, to: start + 4 * WEEK };
  const kinds = [...new Set(view.shiftName)];
  const boxes = createBoxes();
  const items: Item[] = [];
  const add = (lane: number, times: Times, look: number, label: string) => {
    const item = items.push({ label, lane, row: lane, ...times, rows: [view.rows[lane] ?? 0] }) - 1;
    addBox(boxes, lane, times.begin, times.end, look, item);
  };
  lanes.forEach((_, lane) => {
    for (const { at, begin, end } of shiftsIn(view, lane, range)) {
      const name = view.shiftName[at] ?? 0;
      add(lane, { begin, end }, Math.max(0, kinds.indexOf(name)) % shiftLooks.length, view.names[name] ?? '');
    }
  });
  view.stoppageLane.forEach((lane, at) => {
    const times = { begin: (view.stoppageBegin[at] ?? 0) * 1000, end: (view.stoppageEnd[at] ?? 0) * 1000 };
    if (lane >= lanes.length || times.end < range.from || times.begin > range.to) return;
    const words = [view.stoppageName[at], view.stoppageStatus[at]].map((name) => view.names[name ?? -1] ?? '');
    add(lane, times, shiftLooks.length, words.filter(Boolean).join(' · '));
  });
  const initialRange = { from: start, to: start + WEEK };
  return { axis: 'time', lanes, boxes, looks: [...shiftLooks, stoppageLook], items, range, initialRange, now, background: null };
}
