import type { BarsView, PictureKind } from '@/ipc/bindings';
import { type Board, type Item, addBox, createBoxes, stackLanes } from './board';
import type { Look } from './colors';

const BAR_EDGES = { top: 0.24, bottom: 0.76 };
const REFERENCE_LOOK: Look = { outline: 'text', top: 0.1, bottom: 0.9 };
const PLAIN_LOOKS: Look[] = ([1, 2, 3, 4, 5, 6] as const).map((at) => ({ fill: `picture-${at}`, outline: 'ground', top: BAR_EDGES.top, bottom: BAR_EDGES.bottom }));
const GOOD_AND_BAD_LOOKS: Look[] = [
  { fill: 'good', outline: 'ground', ...BAR_EDGES },
  { fill: 'bad', outline: 'ground', pattern: 'stripes', patternInk: 'ground', ...BAR_EDGES },
];

/** Returns the looks of a bar's parts. With more parts than looks, the looks repeat. */
export function partLooks(kind: PictureKind['kind']): Look[] {
  return kind === 'produced' ? GOOD_AND_BAD_LOOKS : PLAIN_LOOKS;
}

export const referenceValueLook = REFERENCE_LOOK;

/** Whether each part has its own look. Parts that are texts have one only if there are few of them. */
export function hasNamedParts({ fields, names }: BarsView): boolean {
  return fields || names.length <= PLAIN_LOOKS.length;
}

/** Builds a board of stacked bars. A bar's reference value is drawn as a frame around its parts. */
export function barsBoard(view: BarsView, kind: PictureKind['kind'], none: string): Board {
  const labels = view.labels.map((label, at) => [label || none, view.units[at] ? `(${view.units[at]})` : ''].filter(Boolean).join(' '));
  const lanes = stackLanes(labels, () => 1);
  const looks = partLooks(kind);
  const isNamed = hasNamedParts(view);
  const boxes = createBoxes();
  const sums = view.labels.map(() => 0);
  const counts = view.labels.map(() => 0);
  view.partOf.forEach((bar, at) => {
    const value = view.partValue[at] ?? 0;
    const begin = sums[bar] ?? 0;
    const turn = isNamed ? (view.partName[at] ?? 0) : (counts[bar] ?? 0);
    if (value > 0) addBox(boxes, bar, begin, begin + value, turn % looks.length, bar);
    sums[bar] = begin + Math.max(0, value);
    counts[bar] = (counts[bar] ?? 0) + 1;
  });
  let most = 0;
  const items: Item[] = labels.map((label, at) => {
    const compared = view.against[at] ?? 0;
    if (compared > 0) addBox(boxes, at, 0, compared, looks.length, at);
    const end = Math.max(compared, sums[at] ?? 0);
    most = Math.max(most, end);
    return { label, lane: at, row: at, begin: 0, end, rows: view.rows[at] ?? [] };
  });
  const range = { from: 0, to: most > 0 ? most * 1.04 : 1 };
  const axis = view.measure === 'seconds' ? 'duration' : 'number';
  return { axis, lanes, boxes, looks: [...looks, REFERENCE_LOOK], items, range, initialRange: range, now: null, background: null };
}
