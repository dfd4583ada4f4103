import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { Problem } from '@/ipc/bindings';
import { ProblemNote } from './ProblemNote';
import styles from './problem.module.css';

type ClaimedNoteProps = { problem: Problem; busy: boolean; again: () => void; skip: () => void };

/** Shows that a colleague is sending some of the rows, and offers to retry or skip them. */
function ClaimedNote({ problem, busy, again, skip }: ClaimedNoteProps) {
  const { t } = useTranslation();
  return (
    <div className={styles.claimed} data-testid="claimed">
      <ProblemNote problem={problem} />
      <div className={styles.choices}>
        <Button variant="default" onClick={again} disabled={busy} data-testid="claimed-again">
          {t('problem.again')}
        </Button>
        <Button variant="default" onClick={skip} disabled={busy} data-testid="claimed-skip">
          {t('problem.skipClaimed')}
        </Button>
      </div>
    </div>
  );
}

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
