import type { Board } from '../boards/board';

const hour = 3600;
/** Steps that a clock has, in seconds; longer ones are whole days. */
const clock = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, 24 * hour];

/** The step between the marks of an axis that isn't a time line: a round one, so that there are about as many as wanted. */
export function tickStep({ axis, ends, boxes }: Pick<Board, 'axis' | 'ends' | 'boxes'>, count: number): number {
  const least = (ends.to - ends.from) / Math.max(1, count);
  if (axis === 'duration') return clock.find((step) => step >= least) ?? 24 * hour * rounded(least / (24 * hour));
  const step = rounded(least);
  // There is no half of what is counted.
  return boxes.end.every(Number.isInteger) ? Math.max(1, step) : step;
}

/** The next of 1, 2, 5, 10, 20 and so on. */
function rounded(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5].find((times) => times * power >= least) ?? 10;
  return factor * power;
}

/** Whether a value is one of the marks: an axis has one at its end, too, wherever that lies. */
export function marked(value: number, step: number): boolean {
  const times = value / step;
  return Math.abs(times - Math.round(times)) < 1e-6;
}
