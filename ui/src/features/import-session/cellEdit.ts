import { useSyncExternalStore } from 'react';

import type { ImportView } from '@/ipc/bindings';

/** Ends the current edit of a cell, which stores its value. Null if no cell is being edited. */
let endEdit: (() => void) | null = null;
/** The import after the latest change, or null if it couldn't be stored. */
let pendingChange: Promise<ImportView | null> = Promise.resolve(null);
const listeners = new Set<() => void>();

/** Sets the function that ends the current edit. Null after the edit has ended. */
export function setCellEdit(next: (() => void) | null): void {
  endEdit = next;
  if (next !== null) pendingChange = Promise.resolve(null);
  for (const listener of listeners) listener();
}

/** Tracks a change of cells while it is stored, so that closing the window can wait for it. */
export function trackChange(change: Promise<ImportView>): void {
  pendingChange = change.catch(() => null);
}

/** Ends the edit of a cell, and returns the import with its value. Null if no cell was edited or it can't be stored. */
export async function storeCellEdit(): Promise<ImportView | null> {
  if (endEdit === null) return null;
  // The grid reports the new value and then the end of the edit. Both reports are asynchronous.
  const stopped = new Promise<void>((resolve) => {
    const unsubscribe = subscribe(() => {
      if (endEdit !== null) return;
      unsubscribe();
      resolve();
    });
  });
  endEdit();
  await stopped;
  return pendingChange;
}

/** Whether a cell is being edited. */
export function useIsEditingCell(): boolean {
  return useSyncExternalStore(subscribe, () => endEdit !== null);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
