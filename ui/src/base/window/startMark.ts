const NAME = 'usable';

/** Marks in the page's own time line when a person could begin, once: how long a start takes is measured by it. */
export function markUsable(): void {
  if (performance.getEntriesByName(NAME).length > 0) return;
  requestAnimationFrame(() => performance.mark(NAME));
}
