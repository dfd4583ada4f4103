import { useSyncExternalStore } from 'react';

import { toProblem } from '@/ipc/problem';

/** A write that waits for the name of its site. */
export type Question = {
  site: string;
  /** What will be done, as the button that was pressed said it. */
  what: string | null;
  answer: (name: string | null) => void;
};

type Write<T> = (confirmed: string | null) => Promise<T>;

let question: Question | null = null;
const listeners = new Set<() => void>();

/**
 * Everything that writes to a site goes through here. The engine refuses to write to a production site without its typed name;
 * then the person is asked, once per order. Who doesn't type it ends with the engine's refusal.
 */
export async function guarded<T>(write: Write<T>, what: string | null = null): Promise<T> {
  try {
    return await write(null);
  } catch (cause) {
    const problem = toProblem(cause);
    if (problem.code !== 'confirmation-needed') throw cause;
    const name = await ask(problem.parameters['site'] ?? '', what);
    if (name === null) throw cause;
    return await write(name);
  }
}

/** The write that waits now. */
export function useQuestion(): Question | null {
  return useSyncExternalStore(subscribe, () => question);
}

function ask(site: string, what: string | null): Promise<string | null> {
  // Only one order waits at a time: a newer one takes the older one's place, which is as if that had been cancelled.
  question?.answer(null);
  return new Promise((resolve) => {
    put({
      site,
      what,
      answer: (name) => {
        put(null);
        resolve(name);
      },
    });
  });
}

function put(next: Question | null): void {
  question = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
