import { useSyncExternalStore } from 'react';

import type { PlanStatus } from './session';

/** A file whose changes would be lost. */
type DiscardQuestion = { file: string; answer: (discard: boolean) => void };

let question: DiscardQuestion | null = null;
const listeners = new Set<() => void>();

/** Whether the import may be given up: where a person changed something that isn't sent and can't be kept as a draft, they are asked. */
export async function mayDiscard({ view, edited }: Pick<PlanStatus, 'view' | 'edited'>): Promise<boolean> {
  if (!view || !edited || view.draft.kept) return true;
  // A newer question takes the older one's place, which keeps the file.
  question?.answer(false);
  return new Promise((resolve) => {
    put({
      file: view.file,
      answer: (discard) => {
        put(null);
        resolve(discard);
      },
    });
  });
}

/** The question that waits now. */
export function useDiscardQuestion(): DiscardQuestion | null {
  return useSyncExternalStore(subscribe, () => question);
}

function put(next: DiscardQuestion | null): void {
  question = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
