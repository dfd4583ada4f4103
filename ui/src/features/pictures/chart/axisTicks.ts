import type { Board } from '../boards/board';

const HOUR = 3600;
/** Tick steps of durations in seconds. Longer steps are whole days. */
const DURATION_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR];

/** Returns a round step for an axis other than time, with about `count` ticks. */
export function tickStep({ axis, ends, boxes }: Pick<Board, 'axis' | 'ends' | 'boxes'>, count: number): number {
  const least = (ends.to - ends.from) / Math.max(1, count);
  if (axis === 'duration') return DURATION_STEPS.find((step) => step >= least) ?? 24 * HOUR * roundUp(least / (24 * HOUR));
  const step = roundUp(least);
  // Counts have no fractions.
  return boxes.end.every(Number.isInteger) ? Math.max(1, step) : step;
}

/** Returns the next of 1, 2, 5, 10, 20 and so on. */
function roundUp(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5].find((times) => times * power >= least) ?? 10;
  return factor * power;
}

/** Whether a value is a tick. The axis also labels its end, wherever that is. */
export function isTick(value: number, step: number): boolean {
  const times = value / step;
  return Math.abs(times - Math.round(times)) < 1e-6;
}
