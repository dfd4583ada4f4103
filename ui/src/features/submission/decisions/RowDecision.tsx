import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { ProblemNote } from '@/components/notices/ProblemNote';
import type { Decision, ResultRow } from '@/ipc/bindings';
import { useSteering } from '../common/useSubmission';
import styles from '../common/submission.module.css';

/** What a person says of one unconfirmed row. */
export function RowDecision({ id, row, done }: { id: number; row: ResultRow; done: () => void }) {
  const { t } = useTranslation();
  const { decide, busy, problem } = useSteering(id);
  const say = (decision: Decision) => {
    decide([{ sheet: row.sheet, row: row.row }], decision);
    done();
  };
  return (
    <div className={styles.decide}>
      <Button size="xs" variant="default" disabled={busy} onClick={() => say('arrived')} data-testid="row-arrived">
        {t('decide.arrived')}
      </Button>
      <Button size="xs" variant="default" disabled={busy} onClick={() => say('send-again')} data-testid="row-again">
        {t('decide.again')}
      </Button>
      {problem && <ProblemNote problem={problem} />}
    </div>
  );
}
