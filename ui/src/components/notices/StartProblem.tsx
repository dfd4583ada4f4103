import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { Problem } from '@/ipc/bindings';
import { ProblemNote } from './ProblemNote';
import styles from './problem.module.css';

type ClaimedNoteProps = { problem: Problem; busy: boolean; retry: () => void; skipClaimed: () => void };

/** Shows that a colleague is sending some of the rows, and offers to retry or skip them. */
function ClaimedNote({ problem, busy, retry, skipClaimed }: ClaimedNoteProps) {
  const { t } = useTranslation();
  return (
    <div className={styles.claimed} data-testid="claimed">
      <ProblemNote problem={problem} />
      <div className={styles.choices}>
        <Button variant="default" onClick={retry} disabled={busy} data-testid="claimed-again">
          {t('problem.again')}
        </Button>
        <Button variant="default" onClick={skipClaimed} disabled={busy} data-testid="claimed-skip">
          {t('problem.skipClaimed')}
        </Button>
      </div>
    </div>
  );
}

type Props = {
  problem: Problem | null;
  busy: boolean;
  retry: () => void;
  /** Starts without the rows that a colleague is sending. */
  skipClaimed: () => void;
};

/** Explains why sending didn't start. */
export function StartProblem({ problem, busy, retry, skipClaimed }: Props) {
  const claimed = problem && isKeysClaimed(problem) ? problem : null;
  // The note stays during a retry, so that its buttons don't move.
  const [lastClaimed, setLastClaimed] = useState(claimed);
  if (!busy && lastClaimed !== claimed) setLastClaimed(claimed);
  const visibleProblem = busy ? lastClaimed : claimed;
  if (visibleProblem) return <ClaimedNote problem={visibleProblem} busy={busy} retry={retry} skipClaimed={skipClaimed} />;
  return problem && <ProblemNote problem={problem} />;
}

/** Whether a colleague is sending some of the rows. */
export function isKeysClaimed({ code, parameters }: Problem): boolean {
  return code === 'precondition' && parameters['obstacle'] === 'keys-claimed';
}
