import type { SpansView } from '@/ipc/bindings';
import { type Board, type Item, addBox, createBoxes, withMargin, stackLanes } from './board';
import { alertLooks } from './boxStyles';
import type { Look } from './colors';
import { timeRangeOf, initialRangeOf, isKnown, toMilliseconds } from './planBoard';

const looks: Look[] = [alertLooks.open, alertLooks.seen, alertLooks.unseen, alertLooks.unclosed];
const OPEN_OFFSET = 2;

/** Builds a board of alerts by station. A bar has two parts: until the alert is acknowledged, and then until it is closed. */
export function alertBoard(view: SpansView, now: number, none: string): Board {
  const lanes = stackLanes(view.lanes.map((lane) => lane || none), (lane) => view.tracks[lane] ?? 1);
  const boxes = createBoxes();
  const items: Item[] = view.rows.map((row, at) => {
    const lane = view.lane[at] ?? 0;
    const line = (lanes[lane]?.first ?? 0) + (view.track[at] ?? 0);
    const openSpan = toMilliseconds(view.firstBegin[at], view.firstEnd[at], now);
    const acknowledgedSpan = toMilliseconds(view.secondBegin[at], view.secondEnd[at], now);
    if (openSpan) addBox(boxes, line, openSpan.begin, openSpan.end, isKnown(view.firstEnd[at]) ? 0 : OPEN_OFFSET, at);
    if (acknowledgedSpan) addBox(boxes, line, acknowledgedSpan.begin, acknowledgedSpan.end, isKnown(view.secondEnd[at]) ? 1 : 1 + OPEN_OFFSET, at);
    const begin = openSpan?.begin ?? acknowledgedSpan?.begin ?? now;
    return { label: view.label[at] ?? '', lane, row: line, begin, end: acknowledgedSpan?.end ?? openSpan?.end ?? begin, rows: [row] };
  });
  const range = withMargin(timeRangeOf(boxes, now));
  return { axis: 'time', lanes, boxes, looks, items, range, initialRange: initialRangeOf(range, now), now, background: null };
}
