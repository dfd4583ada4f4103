import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { guarded } from '@/base/guard';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { type PlanView, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { PlanTabs } from '../common/PlanTabs';
import { storePlan } from '../common/usePlan';
import { useSubmission } from '../common/useSubmission';
import { SubmissionProgress } from './SubmissionProgress';

/** A plan while it is sent: all of its steps, and the one that goes at this moment. */
export function PlanProgress({ plan }: { plan: PlanView }) {
  const { t } = useTranslation();
  const steps = plan.submissions;
  const now = steps.find((one) => one.state === 'running') ?? steps.find((one) => one.counts.pending > 0) ?? steps.at(-1);
  const resume = useMutation({
    mutationFn: () => guarded((confirmed) => commands.planResume(plan.id, confirmed)),
    onSuccess: storePlan,
  });
  return (
    <>
      <PlanTabs plan={plan} chosen={now?.id ?? null} />
      {resume.error && <ProblemNote problem={toProblem(resume.error)} />}
      {!plan.running && (
        <Button onClick={() => resume.mutate()} disabled={resume.isPending} data-testid="plan-resume">
          {t('submission.goOn')}
        </Button>
      )}
      {now && <Now id={now.id} />}
    </>
  );
}

function Now({ id }: { id: number }) {
  const { submission } = useSubmission(id);
  return submission ? <SubmissionProgress submission={submission} /> : null;
}
