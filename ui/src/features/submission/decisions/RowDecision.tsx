import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { StartProblem } from '@/components/notices/StartProblem';
import type { Decision, ResultRow } from '@/ipc/bindings';
import { useSteering } from '../common/useSubmission';
import styles from '../common/submission.module.css';

/** The decision about one unconfirmed row. */
export function RowDecision({ id, row, done }: { id: number; row: ResultRow; done: () => void }) {
  const { t } = useTranslation();
  const { decide, busy, problem } = useSteering(id);
  const say = (decision: Decision, skipClaimed = false) => {
    decide([{ sheet: row.sheet, row: row.row }], decision, skipClaimed, done);
  };
  return (
    <div className={styles.decide}>
      <Button size="xs" variant="default" disabled={busy} onClick={() => say('arrived')} data-testid="row-arrived">
        {t('decide.arrived')}
      </Button>
      <Button size="xs" variant="default" disabled={busy} onClick={() => say('send-again')} data-testid="row-again">
        {t('decide.again')}
      </Button>
      <StartProblem problem={problem} busy={busy} again={() => say('send-again')} skip={() => say('send-again', true)} />
    </div>
  );
}
