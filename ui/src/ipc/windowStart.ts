import type { WindowStart } from './bindings';

declare global {
  interface Window {
    taktStart?: WindowStart;
  }
}

/** Returns the main window's initial data. In other windows and after a reload it is null, and the page must request the data. */
export function windowStart(): WindowStart | null {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return navigation?.type === 'reload' ? null : (window.taktStart ?? null);
}
