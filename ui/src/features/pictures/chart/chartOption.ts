import type { CustomSeriesOption } from 'echarts/charts';
import type { EChartsCoreOption } from 'echarts/core';

import { type Board, type Span, rowsOf } from '../boards/board';
import type { Colors } from '../boards/colors';
import { type Geometry, drawBoard } from './draw';

/** The visible part of a board: a range of its axis, its first visible row, and the number of visible rows. */
export type VisiblePart = Span & { row: number; rows: number };

export type ChartTexts = {
  /** The chart's description for screen readers. */
  description: string;
  value: (value: number) => string;
  /** Formats a tick of a time axis. Midnight is formatted as a date. */
  tick: (moment: number) => string;
};

const CHART_SIZES = { row: 30, mostRow: 44, axis: 26, slider: 14, letter: 7, mostLabel: 210 } as const;

/** Returns the number of rows that fit into a height. */
export function fittingRowCount(height: number): number {
  return Math.max(1, Math.floor((height - CHART_SIZES.axis - CHART_SIZES.slider - 16) / CHART_SIZES.row));
}

export function initialVisiblePart(board: Board, height: number): VisiblePart {
  return { ...board.initialRange, row: 0, rows: Math.min(rowsOf(board.lanes), fittingRowCount(height)) };
}

const HOUR = 3600;
/** Tick steps of durations in seconds. Longer steps are whole days. */
const DURATION_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR];

/** Returns a round step for an axis other than time, with about `count` ticks. */
export function tickStep({ axis, range, boxes }: Pick<Board, 'axis' | 'range' | 'boxes'>, count: number): number {
  const least = (range.to - range.from) / Math.max(1, count);
  if (axis === 'duration') return DURATION_STEPS.find((step) => step >= least) ?? 24 * HOUR * roundUp(least / (24 * HOUR));
  const step = roundUp(least);
  // All values are integers, so ticks between them would be wrong.
  return boxes.end.every(Number.isInteger) ? Math.max(1, step) : step;
}

/** Returns the smallest of 1, 2, 5, 10, 20 and so on that is at least `least`. */
function roundUp(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5].find((times) => times * power >= least) ?? 10;
  return factor * power;
}

/** Whether a value is a tick. ECharts also labels the end of the axis, which may be between two ticks. */
export function isTick(value: number, step: number): boolean {
  const times = value / step;
  return Math.abs(times - Math.round(times)) < 1e-6;
}

/** Returns the chart's options. Its only series draws the visible part of the board. */
export function chartOption(
  board: Board,
  visiblePart: VisiblePart,
  ink: Colors,
  texts: ChartTexts,
  size: { width: number; height: number },
  onGeometry: (geometry: Geometry) => void,
): EChartsCoreOption {
  const { color } = ink;
  const rows = rowsOf(board.lanes);
  const time = board.axis === 'time';
  const scrolls = rows > visiblePart.rows;
  const longest = board.lanes.reduce((most, lane) => Math.max(most, lane.name.length), 4);
  const left = Math.min(CHART_SIZES.mostLabel, longest * CHART_SIZES.letter + 34, size.width * 0.3);
  const room = size.height - CHART_SIZES.axis - 8 - (time ? CHART_SIZES.slider + 10 : 6);
  const marks = Math.max(2, Math.floor((size.width - left) / 110));
  const step = time ? 0 : tickStep(board, marks);
  const line = { show: true, lineStyle: { color: color('line') } };
  const slider = {
    type: 'slider',
    filterMode: 'none',
    brushSelect: false,
    showDetail: false,
    showDataShadow: false,
    borderColor: color('line'),
    backgroundColor: color('surface'),
    fillerColor: color('accent-soft'),
    handleStyle: { color: color('ground'), borderColor: color('line-strong') },
    moveHandleSize: 0,
    emphasis: { handleStyle: { borderColor: color('accent') } },
  };
  const series: CustomSeriesOption = {
    id: 'boxes',
    type: 'custom',
    silent: true,
    clip: true,
    animation: false,
    encode: { x: 0, y: 1 },
    data: [[board.range.from, 0]],
    renderItem: (params, api) => drawBoard(board, ink, params, api, onGeometry),
  };
  return {
    animation: false,
    useUTC: true,
    aria: { enabled: true, label: { description: texts.description } },
    textStyle: { fontFamily: color('font') },
    grid: { left, right: scrolls ? 28 : 16, top: CHART_SIZES.axis, height: Math.max(40, Math.min(room, visiblePart.rows * CHART_SIZES.mostRow)) },
    xAxis: {
      type: time ? 'time' : 'value',
      position: 'top',
      min: board.range.from,
      max: board.range.to,
      ...(time ? { splitNumber: marks } : { interval: step }),
      axisLine: { show: false },
      axisTick: { show: false },
      splitLine: time ? line : { ...line, showMaxLine: false },
      axisLabel: { color: color('muted'), fontSize: 11, hideOverlap: true, formatter: time ? texts.tick : (value: number) => (isTick(value, step) ? texts.value(value) : '') },
    },
    yAxis: {
      type: 'category',
      inverse: true,
      data: board.lanes.flatMap((lane) => Array.from({ length: lane.rows }, (_, at) => (at === 0 ? lane.name : ''))),
      axisLine: { show: false },
      axisTick: { show: false },
      splitLine: { show: false },
      axisLabel: {
        color: color('text'),
        fontSize: 12,
        interval: 0,
        width: left - 14,
        overflow: 'truncate',
        align: 'left',
        margin: left - 8,
        verticalAlign: 'middle',
      },
    },
    dataZoom: [
      { ...slider, id: 'along', show: time, xAxisIndex: 0, bottom: 4, height: CHART_SIZES.slider, startValue: visiblePart.from, endValue: visiblePart.to },
      {
        ...slider,
        id: 'rows',
        show: scrolls,
        yAxisIndex: 0,
        right: 4,
        width: 12,
        zoomLock: true,
        startValue: visiblePart.row,
        endValue: visiblePart.row + visiblePart.rows - 1,
      },
    ],
    series: [series],
  };
}
