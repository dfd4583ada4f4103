import type { CustomSeriesOption } from 'echarts/charts';

import { type Board, type Boxes, rowsOf } from '../boards/board';
import type { Colors, Look } from '../boards/colors';
import { rectanglesShapeType } from './echarts';

type Render = NonNullable<CustomSeriesOption['renderItem']>;
type Params = Parameters<Render>[0];
type Api = Parameters<Render>[1];
type DrawnPicture = ReturnType<Render>;
type Element = { type: string; [member: string]: unknown };

/** Maps values and rows to pixels. */
export type Geometry = {
  /** The position of the value 0, in pixels. */
  zero: number;
  /** Pixels per unit of the axis. */
  unit: number;
  /** The position of the first row's middle, in pixels. */
  first: number;
  /** The height of a row, in pixels. */
  band: number;
  area: { x: number; y: number; width: number; height: number };
};

const LETTER_WIDTH = 6.7;
const MAX_LABELS = 400;
/** Maximum number of boxes with outlines. With more boxes, the outlines would cover the fills. */
const MAX_OUTLINED_BOXES = 2500;
/** Maximum number of rectangles per element. Larger elements are slow to fill. */
const MAX_RECTANGLES_PER_ELEMENT = 600;

export function xOf(geometry: Geometry, value: number): number {
  return geometry.zero + value * geometry.unit;
}

export function valueAt(geometry: Geometry, x: number): number {
  return (x - geometry.zero) / geometry.unit;
}

export function topOf(geometry: Geometry, row: number): number {
  return geometry.first + (row - 0.5) * geometry.band;
}

/** Draws the visible part. The rectangles of a look share elements, and labels are drawn only where they fit. */
export function drawBoard(board: Board, ink: Colors, params: Params, api: Api, onGeometry: (geometry: Geometry) => void): DrawnPicture {
  const area = params.coordSys as unknown as Geometry['area'];
  const geometry = measureGeometry(board, api, area);
  onGeometry(geometry);
  const visible = { from: valueAt(geometry, area.x), to: valueAt(geometry, area.x + area.width) };
  const children: Element[] = [];
  if (board.background) children.push(...drawBoxes(board.background(visible), board.looks, false, ink, geometry).elements);
  children.push(...laneBorders(board, ink, geometry));
  for (const over of [false, true]) {
    const front = drawBoxes(board.boxes, board.looks, over, ink, geometry);
    children.push(...front.elements, ...labelElements(board, front.wide, ink, geometry));
  }
  if (board.now !== null && board.now > visible.from && board.now < visible.to) children.push(nowLine(board.now, ink, geometry));
  return { type: 'group', children } as DrawnPicture;
}

function measureGeometry({ range, lanes }: Board, api: Api, area: Geometry['area']): Geometry {
  const [begin = 0, first = 0] = api.coord([range.from, 0]);
  const [end = 0] = api.coord([range.to, 0]);
  const unit = (end - begin) / (range.to - range.from || 1);
  const size = api.size?.([0, 1]);
  const band = Array.isArray(size) ? (size[1] ?? area.height) : area.height / Math.max(1, rowsOf(lanes));
  return { zero: begin - range.from * unit, unit, first, band, area };
}

type DrawnBoxes = { elements: Element[]; wide: number[] };

function drawBoxes(boxes: Boxes, looks: readonly Look[], over: boolean, ink: Colors, geometry: Geometry): DrawnBoxes {
  const { area, band } = geometry;
  const lists: number[][] = looks.map(() => []);
  const wide: number[] = [];
  let count = 0;
  for (let box = 0; box < boxes.row.length; box += 1) {
    const top = topOf(geometry, boxes.row[box] ?? 0);
    if (top + band < area.y || top > area.y + area.height) continue;
    const left = Math.max(xOf(geometry, boxes.begin[box] ?? 0), area.x - 4);
    const right = Math.min(xOf(geometry, boxes.end[box] ?? 0), area.x + area.width + 4);
    if (right < area.x || left > area.x + area.width) continue;
    const look = boxes.look[box] ?? 0;
    const place = looks[look];
    if (!place || (place.over ?? false) !== over) continue;
    lists[look]?.push(left, top + place.top * band, Math.max(1.5, right - left), (place.bottom - place.top) * band);
    count += 1;
    if (place.text && right - left > 34) wide.push(box);
  }
  const outlined = count <= MAX_OUTLINED_BOXES;
  const elements = lists.flatMap((rects, at) => {
    const look = looks[at];
    return look ? splitIntoChunks(rects).map((part) => styledRectangles(part, look, ink, outlined)) : [];
  });
  return { elements, wide };
}

function splitIntoChunks(rects: number[]): number[][] {
  const parts: number[][] = [];
  for (let at = 0; at < rects.length; at += MAX_RECTANGLES_PER_ELEMENT * 4) parts.push(rects.slice(at, at + MAX_RECTANGLES_PER_ELEMENT * 4));
  return parts;
}

function styledRectangles(rects: number[], look: Look, ink: Colors, outlined: boolean): Element {
  const stroke = look.outline && (outlined || !look.fill) ? ink.color(look.outline) : null;
  return { ...rectanglesElement(rects, look.open), style: { fill: ink.paint(look) ?? null, stroke, lineWidth: stroke ? 1 : 0 } };
}

/** The position is set explicitly, because ECharts may reuse an element with another position. */
function rectanglesElement(rects: number[], open = false): Element {
  return { type: rectanglesShapeType(), silent: true, x: 0, y: 0, shape: { rects, open } };
}

function labelElements({ boxes, looks, items }: Board, wide: readonly number[], ink: Colors, geometry: Geometry): Element[] {
  const font = `11px ${ink.color('font')}`;
  return wide.slice(0, MAX_LABELS).flatMap((box) => {
    const look = looks[boxes.look[box] ?? -1];
    const item = items[boxes.item[box] ?? -1];
    if (!look?.text || !item) return [];
    const left = Math.max(xOf(geometry, boxes.begin[box] ?? 0), geometry.area.x) + 4;
    const right = Math.min(xOf(geometry, boxes.end[box] ?? 0), geometry.area.x + geometry.area.width) - 4;
    const text = shortenLabel(item.label, item.word, Math.floor((right - left) / LETTER_WIDTH));
    if (!text) return [];
    const y = topOf(geometry, boxes.row[box] ?? 0) + ((look.top + look.bottom) / 2) * geometry.band;
    // A background makes text readable on dots and stripes.
    const ground = look.pattern && look.fill ? { backgroundColor: ink.color(look.fill), padding: [1, 2] } : {};
    return [{ type: 'text', silent: true, x: left, y, style: { text, font, fill: ink.color(look.text), verticalAlign: 'middle', ...ground } }];
  });
}

/**
 * Shortens a label to a number of letters. Drops the word first, then all but the first code. A code that ends in a digit keeps
 * its end, which distinguishes it from others.
 */
export function shortenLabel(label: string, word: string | undefined, letters: number): string {
  const fullLabel = [label, word].filter(Boolean).join(' · ');
  if (fullLabel.length <= letters) return fullLabel;
  if (label.length <= letters) return label;
  if (letters < 4) return '';
  const [first = label] = label.split(' · ');
  if (first.length <= letters) return first;
  return /\d$/u.test(first) ? `…${first.slice(1 - letters)}` : `${first.slice(0, letters - 1)}…`;
}

/** Draws a line below each lane. */
function laneBorders({ lanes }: Board, ink: Colors, geometry: Geometry): Element[] {
  const { area } = geometry;
  const rects: number[] = [];
  for (const lane of lanes) {
    const y = Math.round(topOf(geometry, lane.first + lane.rows));
    if (y >= area.y && y <= area.y + area.height) rects.push(area.x, y, area.width, 1);
  }
  return [{ ...rectanglesElement(rects), style: { fill: ink.color('line') } }];
}

function nowLine(now: number, ink: Colors, geometry: Geometry): Element {
  const { area } = geometry;
  const rects = [Math.round(xOf(geometry, now)) - 1, area.y, 2, area.height];
  return { ...rectanglesElement(rects), style: { fill: ink.color('unconfirmed') } };
}
