import { useSyncExternalStore } from 'react';

import type { ImportState } from './session';

/** The question whether a file's changes can be discarded. */
type DiscardQuestion = { file: string; answer: (discard: boolean) => void };

let question: DiscardQuestion | null = null;
const listeners = new Set<() => void>();

/** Returns whether the import may be closed. Asks first if it has unsent changes that no draft stores. */
export async function confirmDiscard({ view, edited }: Pick<ImportState, 'view' | 'edited'>): Promise<boolean> {
  if (!view || !edited || view.draft.kept) return true;
  // A newer question replaces an open one, whose file stays open.
  question?.answer(false);
  return new Promise((resolve) => {
    setQuestion({
      file: view.file,
      answer: (discard) => {
        setQuestion(null);
        resolve(discard);
      },
    });
  });
}

/** Returns the open question. */
export function useDiscardQuestion(): DiscardQuestion | null {
  return useSyncExternalStore(subscribe, () => question);
}

function setQuestion(next: DiscardQuestion | null): void {
  question = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
