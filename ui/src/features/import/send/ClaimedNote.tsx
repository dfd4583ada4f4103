import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { ProblemNote } from '@/components/notices/ProblemNote';
import type { Problem } from '@/ipc/bindings';
import styles from './send.module.css';

type Props = { problem: Problem; busy: boolean; again: () => void; skip: () => void };

/** A colleague is sending some of the rows: the person waits for that, or sends the others. */
export function ClaimedNote({ problem, busy, again, skip }: Props) {
  const { t } = useTranslation();
  return (
    <div className={styles.claimed} data-testid="claimed">
      <ProblemNote problem={problem} />
      <div className={styles.confirm}>
        <Button variant="default" onClick={again} disabled={busy} data-testid="claimed-again">
          {t('problem.again')}
        </Button>
        <Button variant="default" onClick={skip} disabled={busy} data-testid="claimed-skip">
          {t('send.skipClaimed')}
        </Button>
      </div>
    </div>
  );
}

export function isClaimed({ code, parameters }: Problem): boolean {
  return code === 'precondition' && parameters['obstacle'] === 'keys-claimed';
}
