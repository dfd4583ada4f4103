const NAME = 'usable';

/** Adds a performance mark once the window is usable. Start times are measured by it. */
export function markUsable(): void {
  if (performance.getEntriesByName(NAME).length > 0) return;
  requestAnimationFrame(() => performance.mark(NAME));
}
