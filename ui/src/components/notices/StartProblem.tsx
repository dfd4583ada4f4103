import { useState } from 'react';

import type { Problem } from '@/ipc/bindings';
import { ClaimedNote } from './ClaimedNote';
import { ProblemNote } from './ProblemNote';

type Props = {
  problem: Problem | null;
  busy: boolean;
  again: () => void;
  /** Starts without the rows that a colleague is sending. */
  skip: () => void;
};

/** Explains why sending didn't start. */
export function StartProblem({ problem, busy, again, skip }: Props) {
  const claimed = problem && isClaimed(problem) ? problem : null;
  // The note stays during a retry, so that its buttons don't move.
  const [last, setLast] = useState(claimed);
  if (!busy && last !== claimed) setLast(claimed);
  const shown = busy ? last : claimed;
  if (shown) return <ClaimedNote problem={shown} busy={busy} again={again} skip={skip} />;
  return problem && <ProblemNote problem={problem} />;
}

/** Whether a colleague is sending some of the rows. */
export function isClaimed({ code, parameters }: Problem): boolean {
  return code === 'precondition' && parameters['obstacle'] === 'keys-claimed';
}
