import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { SiteLabel } from '@/components/marks/SiteName';
import { StartProblem } from '@/components/notices/StartProblem';
import type { SubmissionView } from '@/ipc/bindings';
import { isBlocked } from '../common/approval';
import { useSteering } from '../common/useSubmission';
import styles from '../common/submission.module.css';

/** Rows that wait for rows that weren't accepted. They can be retried or skipped. */
export function WaitingRows({ submission }: { submission: SubmissionView }) {
  const { t } = useTranslation();
  const { resume, resumeWithoutClaimed, skipWaiting, busy, problem } = useSteering(submission.id);
  if (submission.waiting === 0 || submission.state === 'running' || isBlocked(submission)) return null;
  return (
    <div className={styles.waiting} data-testid="waiting">
      <span>{t('plan.waitingRows', { count: submission.waiting })}</span>
      <Button size="xs" onClick={resume} disabled={busy} data-testid="waiting-again">
        {t('submission.goOn')}
      </Button>
      <SiteLabel name={submission.site} />
      <Button
        size="xs"
        variant="default"
        onClick={skipWaiting}
        disabled={busy}
        data-testid="waiting-skip"
      >
        {t('plan.skipWaiting')}
      </Button>
      <StartProblem problem={problem} busy={busy} again={resume} skip={resumeWithoutClaimed} />
    </div>
  );
}
