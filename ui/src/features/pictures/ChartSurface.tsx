import { type ReactNode, type Ref, type RefObject, useEffect, useImperativeHandle, useRef, useState } from 'react';

import { type Board, type Item, rowsOf } from './boards/board';
import type { MovedTimes } from './boards/planBoard';
import { type VisiblePart, type ChartTexts, fittingRowCount } from './chart/chartOption';
import { type Geometry, topOf, xOf } from './chart/draw';
import { SNAP_INTERVAL, nextItem, panBy, readingOrder, scrollIntoView, zoomAround } from './chart/gestures';
import { useChart } from './chart/useChart';
import { usePointer } from './chart/usePointer';
import styles from './pictures.module.css';

/** The chart's methods for the buttons around it. */
export type ChartHandle = { visiblePart: () => VisiblePart; show: (shown: VisiblePart) => void; png: () => string };

/** A box on a board. `begin` and `end` are values of the board's axis. */
type Box = { row: number; begin: number; end: number };

function boxOf({ row, begin, end }: Item): Box {
  return { row, begin, end };
}

/** Moves an element over a box of the chart. The element is hidden if the box isn't visible. */
function placeElement(element: HTMLElement | null, geometry: Geometry | null, box: Box | null): void {
  if (!element) return;
  const { area } = geometry ?? { area: { x: 0, y: 0, width: 0, height: 0 } };
  const top = geometry && box ? topOf(geometry, box.row) : -1;
  const left = geometry && box ? Math.max(area.x, xOf(geometry, box.begin)) : 0;
  const right = geometry && box ? Math.min(area.x + area.width, xOf(geometry, box.end)) : 0;
  const hidden = !geometry || !box || right < area.x || left > area.x + area.width || top < area.y - 1 || top >= area.y + area.height;
  element.hidden = hidden;
  if (hidden || !geometry) return;
  element.style.left = `${left - 2}px`;
  element.style.top = `${top}px`;
  element.style.width = `${Math.max(4, right - left + 4)}px`;
  element.style.height = `${geometry.band}px`;
}

type KeyPress = { key: string; altKey: boolean; ctrlKey: boolean; metaKey: boolean; shiftKey: boolean };

/** Returns the part of the board to show after a key press. Null if the key has no effect. */
function shownAfterKey({ key, altKey, ctrlKey, metaKey, shiftKey }: KeyPress, shown: VisiblePart, board: Board, fits: number): VisiblePart | null {
  if (altKey || ctrlKey || metaKey) return null;
  // The wheel also zooms only a time axis.
  const time = board.axis === 'time';
  const length = shown.to - shown.from;
  const middle = (shown.from + shown.to) / 2;
  if (time && (key === '+' || key === '=')) return zoomAround(shown, middle, 1 / 1.5);
  if (time && key === '-') return zoomAround(shown, middle, 1.5);
  if (key === '0') return { ...board.range, row: 0, rows: Math.min(fits, rowsOf(board.lanes)) };
  if (key === 'n' && board.now !== null) return { ...shown, from: board.now - length / 2, to: board.now + length / 2 };
  if (key === 'PageUp') return panBy(shown, 0, -shown.rows);
  if (key === 'PageDown') return panBy(shown, 0, shown.rows);
  if (shiftKey && key === 'ArrowLeft') return panBy(shown, -length / 4, 0);
  if (shiftKey && key === 'ArrowRight') return panBy(shown, length / 4, 0);
  return null;
}

/** Calls `pressed` for keys that are pressed inside an element. */
function useFrameKeys(frame: RefObject<HTMLElement | null>, pressed: (event: KeyboardEvent) => void): void {
  const now = useRef(pressed);
  useEffect(() => {
    now.current = pressed;
  });
  useEffect(() => {
    const box = frame.current;
    const handleKey = (event: KeyboardEvent) => now.current(event);
    box?.addEventListener('keydown', handleKey);
    return () => box?.removeEventListener('keydown', handleKey);
  }, [frame]);
}

type Props = {
  board: Board;
  label: string;
  texts: ChartTexts;
  testId: string;
  /** Returns an item's description as lines. The first line is its name. */
  linesOf: (item: number) => string[];
  open: (item: Item) => void;
  move: { lanes: boolean; drop: (item: number, moved: MovedTimes) => void } | null;
  handleRef: Ref<ChartHandle>;
  dataAttributes: { [name: string]: string | number };
};

/** An interactive chart: hover, keyboard navigation, zoom and pan. */
export function ChartSurface({ board, label, texts, testId, linesOf, open, move, handleRef, dataAttributes }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const outline = useRef<HTMLDivElement>(null);
  const ghost = useRef<HTMLDivElement>(null);
  const [focus, setFocus] = useState(-1);
  const [hover, setHover] = useState(NO_HOVER);
  const rendered = useRef<() => void>(() => undefined);
  const container = useRef<HTMLDivElement>(null);
  const chart = useChart(container, board, texts, rendered);
  const { geometry, visiblePart, show, png } = chart;
  useImperativeHandle(handleRef, () => ({ visiblePart, show, png }), [visiblePart, show, png]);
  const mark = (element: HTMLElement | null, box: Box | null) => placeElement(element, geometry.current, box);
  const item = board.items[focus];
  useEffect(() => {
    rendered.current = () => {
      mark(outline.current, item ? boxOf(item) : null);
      const { from, to, row, rows } = visiblePart();
      Object.assign(frame.current?.dataset ?? {}, { from, to, row, rows });
    };
    rendered.current();
  });
  const focusItem = (next: number) => {
    setFocus(next);
    const focused = board.items[next];
    if (!focused) return;
    mark(outline.current, boxOf(focused));
    show(scrollIntoView(visiblePart(), focused));
  };
  usePointer(frame, {
    board,
    chart,
    hover: (at, x, y, width) => setHover((before) => (at < 0 && before.item < 0 ? before : { item: at, x, y, width })),
    open: (at) => {
      focusItem(at);
      const opened = board.items[at];
      if (opened) open(opened);
    },
    move: move && {
      lanes: move.lanes,
      drop: move.drop,
      ghost: (_, moved) => mark(ghost.current, moved && { ...moved, row: board.lanes[moved.lane]?.first ?? 0 }),
    },
  });
  useFrameKeys(frame, (event) => {
    const next = shownAfterKey(event, visiblePart(), board, fittingRowCount(frame.current?.clientHeight ?? 0));
    if (next) show(next);
    else if (event.altKey && event.key.startsWith('Arrow') && move && item) moveItemByKey(event, focus, item, board, move);
    else if (/^(?:Arrow|Home|End)/u.test(event.key)) focusItem(nextItem(board.items, readingOrder(board.items), focus, event.key));
    else if (event.key === 'Enter' && item) open(item);
    else return;
    event.preventDefault();
  });
  return (
    <div
      ref={frame}
      className={styles.surface}
      role="application"
      aria-label={label}
      tabIndex={0}
      data-testid={testId}
      data-items={board.items.length}
      data-focus={focus}
      {...Object.fromEntries(Object.entries(dataAttributes).map(([name, value]) => [`data-${name}`, value]))}
    >
      <div ref={container} className={styles.chart} />
      <div ref={outline} className={styles.outline} data-testid="picture-focus" hidden />
      <div ref={ghost} className={styles.ghost} data-testid="picture-ghost" hidden />
      {hover.item >= 0 && <ItemTooltip x={hover.x} y={hover.y} width={hover.width} lines={linesOf(hover.item)} />}
      <div className={styles.hidden} role="status" data-testid="picture-said">
        {focus >= 0 && item ? linesOf(focus).join(', ') : ''}
      </div>
    </div>
  );
}

const NO_HOVER = { item: -1, x: 0, y: 0, width: 0 };

function moveItemByKey(event: KeyboardEvent, at: number, item: Item, board: Board, move: NonNullable<Props['move']>): void {
  const by = (event.shiftKey ? 24 * 12 : 3) * SNAP_INTERVAL;
  const along = { ArrowLeft: -by, ArrowRight: by }[event.key] ?? 0;
  const across = move.lanes ? ({ ArrowUp: -1, ArrowDown: 1 }[event.key] ?? 0) : 0;
  const lane = Math.min(board.lanes.length - 1, Math.max(0, item.lane + across));
  move.drop(at, { begin: item.begin + along, end: item.end + along, lane });
}

function ItemTooltip({ x, y, width, lines }: { x: number; y: number; width: number; lines: string[] }): ReactNode {
  const side = x > width / 2 ? { right: width - x + 12 } : { left: x + 12 };
  return (
    <div className={styles.bubble} style={{ top: y + 14, ...side }} data-testid="picture-bubble" aria-hidden>
      {lines.map((line, at) => (
        <div key={line}>{at === 0 ? <strong>{line}</strong> : line}</div>
      ))}
    </div>
  );
}
