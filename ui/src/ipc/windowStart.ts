import type { WindowStart } from './bindings';

declare global {
  interface Window {
    taktStart?: WindowStart;
  }
}

/** What the main window was made with; absent where the page has to ask, as in other windows and after it was loaded again. */
export function windowStart(): WindowStart | null {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return navigation?.type === 'reload' ? null : (window.taktStart ?? null);
}
