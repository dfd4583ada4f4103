import type { PlanView } from '@/ipc/bindings';
import { PlanTabs } from '../common/PlanTabs';
import { SubmissionProgress } from './SubmissionProgress';

/** A running plan: its steps, and the progress of the current one. */
export function PlanProgress({ plan }: { plan: PlanView }) {
  const steps = plan.submissions;
  const now = steps.find((one) => one.state === 'running') ?? steps.find((one) => one.counts.pending > 0) ?? steps.at(-1);
  return (
    <>
      <PlanTabs plan={plan} chosen={now?.id ?? null} />
      {now && <SubmissionProgress submission={now} />}
    </>
  );
}
