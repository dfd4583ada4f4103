import { useSyncExternalStore } from 'react';

import type { ImportState } from './session';

/** An open question about discarding a file's changes. */
type DiscardQuestion = { file: string; answer: (discard: boolean) => void };

let question: DiscardQuestion | null = null;
const listeners = new Set<() => void>();

/** Whether the import may be closed. Asks if there are unsent changes that can't be stored as a draft. */
export async function confirmDiscard({ view, edited }: Pick<ImportState, 'view' | 'edited'>): Promise<boolean> {
  if (!view || !edited || view.draft.kept) return true;
  // A newer question replaces the older one, which keeps the file.
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
