import { useSyncExternalStore } from 'react';

/** What the tour shows, in its order: each is the element that the selector finds; its words are `tour.` and its name. */
export const stops = [
  { name: 'site', selector: '[data-testid="site-switch"]' },
  { name: 'open', selector: '[data-tour="open"]' },
  { name: 'samples', selector: '[data-tour="samples"]' },
  { name: 'history', selector: '[data-testid="nav-history"]' },
  { name: 'search', selector: '[data-testid="palette-open"]' },
] as const;

let at: number | null = null;
const listeners = new Set<() => void>();

/** Begins the tour on the first page; it can be left at any time and begun again. */
export function startTour(): void {
  goTo(0);
}

export function goTo(stop: number | null): void {
  at = stop;
  for (const listener of listeners) listener();
}

/** The stop that is shown; nothing where no tour runs. */
export function useTourStop(): number | null {
  return useSyncExternalStore(subscribe, () => at);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
