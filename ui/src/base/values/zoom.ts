/** Zoom levels in percent. */
export const zooms = [70, 80, 90, 100, 110, 125, 150, 175, 200] as const;
const plain = 100;

/** Returns the next larger or smaller zoom level, within the limits. */
export function zoomed(now: number | null | undefined, by: 1 | -1): number {
  const current = now ?? plain;
  const next = by > 0 ? zooms.find((zoom) => zoom > current) : zooms.findLast((zoom) => zoom < current);
  return next ?? current;
}
