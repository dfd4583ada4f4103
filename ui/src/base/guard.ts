import { useSyncExternalStore } from 'react';

import { toProblem } from '@/ipc/problem';

/** A write that awaits the typed name of its site. */
export type Question = {
  site: string;
  /** The write's description, taken from the button's label. */
  what: string | null;
  answer: (name: string | null) => void;
};

type Write<T> = (confirmed: string | null) => Promise<T>;

let question: Question | null = null;
const listeners = new Set<() => void>();

/**
 * Runs a write, and asks for the site's name if the engine requires it for a production site. If you cancel, the engine's refusal
 * is thrown.
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

/** Returns the write that awaits confirmation. */
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
