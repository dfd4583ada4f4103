import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { Problem } from '@/ipc/bindings';
import { ProblemNote } from './ProblemNote';
import styles from './problem.module.css';

type Props = { problem: Problem; busy: boolean; again: () => void; skip: () => void };

/** Tells that a colleague is sending some of the rows, and offers to retry or skip them. */
export function ClaimedNote({ problem, busy, again, skip }: Props) {
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
