import { useSyncExternalStore } from 'react';

import { toProblem } from '@/ipc/problem';

/** A write to a production site that waits until the user types the site's name. */
export type Question = {
  site: string;
  /** The write's description, which is the label of the button that started it. */
  what: string | null;
  answer: (name: string | null) => void;
};

type Write<T> = (confirmed: string | null) => Promise<T>;

let question: Question | null = null;
const listeners = new Set<() => void>();

/**
 * Runs a write. If the engine requires confirmation for a production site, the user is asked for the site's name. Throws the
 * engine's refusal if the user cancels.
 */
export async function runGuarded<T>(write: Write<T>, what: string | null = null): Promise<T> {
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

/** Returns the write that waits for the typed name, null if there is none. */
export function useGuardQuestion(): Question | null {
  return useSyncExternalStore(subscribe, () => question);
}

function ask(site: string, what: string | null): Promise<string | null> {
  // Only one write can wait. A newer one cancels the older one.
  question?.answer(null);
  return new Promise((resolve) => {
    setQuestion({
      site,
      what,
      answer: (name) => {
        setQuestion(null);
        resolve(name);
      },
    });
  });
}

function setQuestion(next: Question | null): void {
  question = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
