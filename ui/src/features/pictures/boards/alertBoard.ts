import type { SpansView } from '@/ipc/bindings';
import { type Board, type Item, addBox, createBoxes, withMargin, stackLanes } from './board';
import { alerts } from './boxStyles';
import type { Look } from './colors';
import { extent, firstWeeks, isKnown, span } from './planBoard';

const looks: Look[] = [alerts.open, alerts.seen, alerts.unseen, alerts.unclosed];
const OPEN_OFFSET = 2;

/** Builds a board of alerts by station. A bar has two parts: until the alert is acknowledged, and then until it is closed. */
export function alertBoard(view: SpansView, now: number, none: string): Board {
  const lanes = stackLanes(view.lanes.map((lane) => lane || none), (lane) => view.tracks[lane] ?? 1);
  const boxes = createBoxes();
  const items: Item[] = view.rows.map((row, at) => {
    const lane = view.lane[at] ?? 0;
    const line = (lanes[lane]?.first ?? 0) + (view.track[at] ?? 0);
    const open = span(view.firstBegin[at], view.firstEnd[at], now);
    const seen = span(view.secondBegin[at], view.secondEnd[at], now);
    if (open) addBox(boxes, line, open.begin, open.end, isKnown(view.firstEnd[at]) ? 0 : OPEN_OFFSET, at);
    if (seen) addBox(boxes, line, seen.begin, seen.end, isKnown(view.secondEnd[at]) ? 1 : 1 + OPEN_OFFSET, at);
    const begin = open?.begin ?? seen?.begin ?? now;
    return { label: view.label[at] ?? '', lane, row: line, begin, end: seen?.end ?? open?.end ?? begin, rows: [row] };
  });
  const ends = withMargin(extent(boxes, now));
  return { axis: 'time', lanes, boxes, looks, items, ends, first: firstWeeks(ends, now), now, behind: null };
}
