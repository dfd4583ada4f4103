import type { WindowStart } from './bindings';

declare global {
  interface Window {
    taktStart?: WindowStart;
  }
}

/** Returns the main window's initial data. Null in other windows and after a reload, where the page must request it. */
export function windowStart(): WindowStart | null {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return navigation?.type === 'reload' ? null : (window.taktStart ?? null);
}
