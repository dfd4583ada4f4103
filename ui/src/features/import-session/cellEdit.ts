import { useSyncExternalStore } from 'react';

import type { ImportView } from '@/ipc/bindings';

/** Ends the edit of a cell, which stores its value. Null if no cell is being edited. */
let end: (() => void) | null = null;
/** The import after the latest change, or null if it couldn't be stored. */
let storing: Promise<ImportView | null> = Promise.resolve(null);
const listeners = new Set<() => void>();

/** Sets how the edit that has begun is ended, or null after it. */
export function setCellEdit(next: (() => void) | null): void {
  end = next;
  if (next !== null) storing = Promise.resolve(null);
  for (const listener of listeners) listener();
}

/** Tracks a change of cells while it is stored, so that closing the window can wait for it. */
export function trackChange(change: Promise<ImportView>): void {
  storing = change.catch(() => null);
}

/** Ends the edit of a cell, and returns the import with its value. Null if no cell was edited or it can't be stored. */
export async function storeCellEdit(): Promise<ImportView | null> {
  if (end === null) return null;
  // The grid reports the new value first, and then the end of the edit, both later than it is asked to.
  const stopped = new Promise<void>((resolve) => {
    const unsubscribe = subscribe(() => {
      if (end !== null) return;
      unsubscribe();
      resolve();
    });
  });
  end();
  await stopped;
  return storing;
}

/** Whether a cell is being edited. */
export function useIsEditingCell(): boolean {
  return useSyncExternalStore(subscribe, () => end !== null);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
