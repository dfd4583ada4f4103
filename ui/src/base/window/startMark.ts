const MARK_NAME = 'usable';

/** Adds a performance mark once the window is usable. The start benchmark reads it. */
export function markUsable(): void {
  if (performance.getEntriesByName(MARK_NAME).length > 0) return;
  requestAnimationFrame(() => performance.mark(MARK_NAME));
}
