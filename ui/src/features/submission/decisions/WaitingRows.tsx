import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { guarded } from '@/base/guard';
import { SiteLabel } from '@/components/marks/SiteName';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { type SubmissionView, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { refreshPlan } from '../common/usePlan';
import { storeSubmission } from '../common/useSubmission';
import styles from '../common/submission.module.css';

/** Rows that wait for rows which weren't accepted: they are tried again, or left out by choice. */
export function WaitingRows({ submission }: { submission: SubmissionView }) {
  const { t } = useTranslation();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (command: (id: number, confirmed: string | null) => Promise<SubmissionView>) =>
      guarded((confirmed) => command(submission.id, confirmed)),
    onSuccess: (view) => {
      storeSubmission(view);
      if (view.plan !== null) refreshPlan(view.plan);
    },
  });
  if (submission.waiting === 0 || submission.state === 'running') return null;
  return (
    <div className={styles.waiting} data-testid="waiting">
      <span>{t('plan.waitingRows', { count: submission.waiting })}</span>
      <Button size="xs" onClick={() => mutate(commands.submissionResume)} disabled={isPending} data-testid="waiting-again">
        {t('submission.goOn')}
      </Button>
      <SiteLabel name={submission.site} />
      <Button
        size="xs"
        variant="default"
        onClick={() => mutate(commands.submissionSkipWaiting)}
        disabled={isPending}
        data-testid="waiting-skip"
      >
        {t('plan.skipWaiting')}
      </Button>
      {error && <ProblemNote problem={toProblem(error)} />}
    </div>
  );
}
