import { useSyncExternalStore } from 'react';

/** The tour's stops in order. The selector finds the element, and the text's locale key is `tour.` plus the name. */
export const STOPS = [
  { name: 'site', selector: '[data-testid="site-switch"]' },
  { name: 'open', selector: '[data-tour="open"]' },
  { name: 'samples', selector: '[data-tour="samples"]' },
  { name: 'history', selector: '[data-testid="nav-history"]' },
  { name: 'search', selector: '[data-testid="palette-open"]' },
] as const;

let currentStop: number | null = null;
const listeners = new Set<() => void>();

/** Starts the tour. It can be left and restarted at any time. */
export function startTour(): void {
  goToStop(0);
}

export function goToStop(stop: number | null): void {
  currentStop = stop;
  for (const listener of listeners) listener();
}

/** Returns the index of the current stop, null if the tour isn't running. */
export function useTourStop(): number | null {
  return useSyncExternalStore(subscribe, () => currentStop);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
