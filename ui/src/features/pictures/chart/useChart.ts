import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';

import { usePreferences } from '@/base/preferences';
import { type Board, rowsOf } from '../boards/board';
import { readColors } from '../boards/colors';
import { type VisiblePart, type ChartTexts, chartOption, initialVisiblePart, fittingRowCount } from './chartOption';
import { type Geometry, valueAt } from './draw';
import { type ECharts, init } from './echarts';

export type Chart = {
  /** The current mapping from values to pixels, null until the chart is drawn. */
  geometry: RefObject<Geometry | null>;
  visiblePart: () => VisiblePart;
  show: (shown: VisiblePart) => void;
  /** Returns the picture as a data URL. */
  png: () => string;
};

/**
 * Draws a board as a chart. It is drawn again if the board or the color scheme changes, and its visible part stays. `rendered` is
 * called after drawing, to update elements over the chart.
 */
export function useChart(container: RefObject<HTMLDivElement | null>, board: Board, texts: ChartTexts, rendered: RefObject<() => void>): Chart {
  const chart = useRef<ECharts | null>(null);
  const geometry = useRef<Geometry | null>(null);
  const lastShown = useRef<{ shown: VisiblePart; rangeKey: string } | null>(null);
  const pendingFrame = useRef(0);
  const [size, setSize] = useState<{ width: number; height: number } | null>(null);
  const { colorScheme: look } = usePreferences();

  useEffect(() => {
    const box = container.current;
    if (!box) return undefined;
    const created = init(box, null, { renderer: 'canvas' });
    chart.current = created;
    created.on('rendered', () => rendered.current());
    const watch = new ResizeObserver(() => {
      created.resize();
      setSize({ width: created.getWidth(), height: created.getHeight() });
    });
    watch.observe(box);
    return () => {
      watch.disconnect();
      cancelAnimationFrame(pendingFrame.current);
      created.dispose();
      chart.current = null;
    };
  }, [container, rendered]);

  const visiblePart = useCallback((): VisiblePart => {
    const now = geometry.current;
    const before = lastShown.current?.shown ?? { ...board.initialRange, row: 0, rows: rowsOf(board.lanes) };
    if (!now) return before;
    const { area, band, first } = now;
    const row = Math.round((area.y - first) / band + 0.5);
    return { from: valueAt(now, area.x), to: valueAt(now, area.x + area.width), row, rows: before.rows };
  }, [board]);

  useEffect(() => {
    const current = chart.current;
    if (!current || !size) return;
    const rangeKey = `${board.axis} ${board.range.from} ${board.range.to} ${rowsOf(board.lanes)}`;
    // If the new board has the same range, the visible part stays.
    const same = lastShown.current?.rangeKey === rangeKey;
    const first = initialVisiblePart(board, size.height);
    const next = same ? clampShown(board, { ...visiblePart(), rows: first.rows }) : first;
    lastShown.current = { shown: next, rangeKey };
    const onGeometry = (now: Geometry) => {
      geometry.current = now;
    };
    current.setOption(chartOption(board, next, readColors(look), texts, size, onGeometry), { notMerge: true });
  }, [board, texts, look, size, visiblePart]);

  const show = useCallback(
    (range: VisiblePart) => {
      const next = clampShown(board, { ...range, rows: Math.min(range.rows, fittingRowCount(chart.current?.getHeight() ?? 0)) });
      if (lastShown.current) lastShown.current.shown = next;
      cancelAnimationFrame(pendingFrame.current);
      pendingFrame.current = requestAnimationFrame(() => {
        chart.current?.dispatchAction({
          type: 'dataZoom',
          batch: [
            { dataZoomId: 'along', startValue: next.from, endValue: next.to },
            { dataZoomId: 'rows', startValue: next.row, endValue: next.row + next.rows - 1 },
          ],
        });
      });
    },
    [board],
  );
  const png = useCallback(
    () => chart.current?.getDataURL({ type: 'png', pixelRatio: 2, backgroundColor: readColors(look).color('ground'), excludeComponents: ['dataZoom'] }) ?? '',
    [look],
  );
  return { geometry, visiblePart, show, png };
}

const MIN_RANGE = 5 * 60_000;

/** Limits the visible part to the board's range and a minimum length. */
function clampShown({ range, axis, lanes }: Board, { from, to, row, rows }: VisiblePart): VisiblePart {
  const all = range.to - range.from;
  const length = Math.min(all, Math.max(to - from, axis === 'time' ? MIN_RANGE : all / 1000));
  const begin = Math.min(Math.max(from, range.from), range.to - length);
  const count = Math.max(1, Math.min(rows, rowsOf(lanes)));
  const top = Math.min(Math.max(0, row), rowsOf(lanes) - count);
  return { from: begin, to: begin + length, row: top, rows: count };
}
