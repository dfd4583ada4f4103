/** Zoom levels in percent. */
export const ZOOM_LEVELS = [70, 80, 90, 100, 110, 125, 150, 175, 200] as const;
const DEFAULT_ZOOM = 100;

/** Returns the next larger or smaller zoom level, within the limits. */
export function nextZoom(now: number | null | undefined, by: 1 | -1): number {
  const current = now ?? DEFAULT_ZOOM;
  const next = by > 0 ? ZOOM_LEVELS.find((zoom) => zoom > current) : ZOOM_LEVELS.findLast((zoom) => zoom < current);
  return next ?? current;
}
