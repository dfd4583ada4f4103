import type { SpansView, WeekView } from '@/ipc/bindings';
import { type MovedTimes, isKnown, toMilliseconds } from './planBoard';
import { offShiftTimes } from './weekBoard';

/** A conflict between a moved bar and another item. `other` is empty for a bar outside of the shifts. */
export type Conflict = { kind: 'order' | 'stoppage' | 'offShift'; moved: string; other: string; lane: string };

type Planned = { label: string; lane: number; begin: number; end: number; row: number };

const SECOND = 1000;

/**
 * Returns the conflicts of moved bars: overlaps with other orders or stoppages, and a begin or end outside of the shifts. Only
 * drawn rows and the stations' calendar are compared. A conflict between two moved bars is returned once.
 */
export function conflictsOf(view: SpansView, calendar: WeekView | null, moves: ReadonlyMap<number, MovedTimes>, now: number): Conflict[] {
  if (moves.size === 0) return [];
  const bars = currentBars(view, moves, now);
  const conflicts: Conflict[] = [];
  for (const bar of bars.filter(({ row }) => moves.has(row))) {
    const lane = view.lanes[bar.lane] ?? '';
    const tell = (kind: Conflict['kind'], other: string) => conflicts.push({ kind, moved: bar.label, other, lane });
    for (const other of bars) {
      const isTold = moves.has(other.row) && other.row < bar.row;
      if (other.lane === bar.lane && other.row !== bar.row && !isTold && overlaps(bar, other)) tell('order', other.label);
    }
    for (const { kind, name } of calendarConflicts(calendar, lane, bar)) tell(kind, name);
  }
  return conflicts;
}

/** Returns the bars that haven't ended, at their moved or planned times. An overdue bar lasts until now. */
function currentBars(view: SpansView, moves: ReadonlyMap<number, MovedTimes>, now: number): Planned[] {
  return view.rows.flatMap((row, at) => {
    const move = moves.get(row);
    const planned = move ?? toMilliseconds(view.firstBegin[at], view.firstEnd[at], now);
    const isEnded = isKnown(view.secondEnd[at]);
    if (!planned || (isEnded && !move)) return [];
    const runs = isKnown(view.secondBegin[at]) && !isEnded && !move;
    const end = runs ? Math.max(planned.end, now) : planned.end;
    return [{ label: view.label[at] ?? '', lane: move?.lane ?? view.lane[at] ?? 0, begin: planned.begin, end, row }];
  });
}

function calendarConflicts(calendar: WeekView | null, lane: string, bar: Planned): { kind: 'stoppage' | 'offShift'; name: string }[] {
  const place = calendar?.lanes.indexOf(lane) ?? -1;
  if (!calendar || place < 0) return [];
  const stopped = calendar.stoppageLane.flatMap((of, at) => {
    const stoppage = { begin: (calendar.stoppageBegin[at] ?? 0) * SECOND, end: (calendar.stoppageEnd[at] ?? 0) * SECOND };
    const name = calendar.names[calendar.stoppageName[at] ?? -1] ?? '';
    return of === place && overlaps(bar, stoppage) ? [{ kind: 'stoppage' as const, name }] : [];
  });
  const isOff = (from: number) => offShiftTimes(calendar, place, { from, to: from + SECOND }).some(({ begin }) => begin === from);
  // An order may continue overnight, but should begin and end in a shift.
  const off = isOff(bar.begin) || isOff(bar.end - SECOND) ? [{ kind: 'offShift' as const, name: '' }] : [];
  return [...stopped, ...off];
}

function overlaps(one: { begin: number; end: number }, other: { begin: number; end: number }): boolean {
  return one.begin < other.end && one.end > other.begin;
}
