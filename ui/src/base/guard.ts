import { useSyncExternalStore } from 'react';

import { toProblem } from '@/ipc/problem';

/** A write to a production site that waits until the user types the site's name. */
export type GuardQuestion = {
  site: string;
  /** The write's description, which is the label of the button that started it. */
  label: string | null;
  answer: (name: string | null) => void;
};

type Write<T> = (confirmed: string | null) => Promise<T>;

let question: GuardQuestion | null = null;
const listeners = new Set<() => void>();

/**
 * Runs a write. If the engine requires confirmation for a production site, the user is asked for the site's name. Throws the
 * engine's refusal if the user cancels.
 */
export async function runGuarded<T>(write: Write<T>, label: string | null = null): Promise<T> {
  try {
    return await write(null);
  } catch (cause) {
    const problem = toProblem(cause);
    if (problem.code !== 'confirmation-needed') throw cause;
    const name = await askForSiteName(problem.parameters['site'] ?? '', label);
    if (name === null) throw cause;
    return await write(name);
  }
}

/** Returns the write that waits for the typed name, null if there is none. */
export function useGuardQuestion(): GuardQuestion | null {
  return useSyncExternalStore(subscribe, () => question);
}

function askForSiteName(site: string, label: string | null): Promise<string | null> {
  // Only one write can wait. A newer one cancels the older one.
  question?.answer(null);
  return new Promise((resolve) => {
    setQuestion({
      site,
      label,
      answer: (name) => {
        setQuestion(null);
        resolve(name);
      },
    });
  });
}

function setQuestion(next: GuardQuestion | null): void {
  question = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
