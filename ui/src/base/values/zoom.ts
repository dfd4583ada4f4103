/** In percent, as the keys step through them. */
export const zooms = [70, 80, 90, 100, 110, 125, 150, 175, 200] as const;
const plain = 100;

/** The next larger or smaller one; the same at either end. */
export function zoomed(now: number | null | undefined, by: 1 | -1): number {
  const current = now ?? plain;
  const next = by > 0 ? zooms.find((zoom) => zoom > current) : zooms.findLast((zoom) => zoom < current);
  return next ?? current;
}
