import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';

import { ProblemNote } from '@/components/notices/ProblemNote';
import { useImport } from '@/features/import-session';
import { SignInPanel } from '@/features/sign-in';
import { PlanProgress, SubmissionProgress, usePlan, useSubmission } from '@/features/submission';
import type { ImportView } from '@/ipc/bindings';
import { useImportSite } from '../common/importSite';
import { isPlan } from '../common/plan';
import { PlanForm } from './PlanForm';
import { SendForm } from './SendForm';

/** Signing in where that is needed, the last look before sending, and then how the sending goes. */
export function SendStep({ view }: { view: ImportView }) {
  const { t } = useTranslation();
  const site = useImportSite(view);
  const { submission, plan, follows } = useImport();
  if (plan !== null) return <SendingPlan id={plan} />;
  if (submission !== null) return <Sending id={submission} />;
  if (site && !site.signedIn) return <SignInPanel why={t('send.signInFirst')} />;
  return isPlan(view) && follows?.relation !== 'retry' ? <PlanForm view={view} /> : <SendForm view={view} />;
}

function SendingPlan({ id }: { id: number }) {
  const { plan, problem } = usePlan(id);
  const { goStep, step } = useImport();
  // What waits is pending still, and nothing moves any more: the results say why.
  const finished = plan !== undefined && !plan.running && plan.submissions.every((one) => one.counts.pending === one.waiting);
  useEffect(() => {
    if (finished && step === 'send') goStep('results');
  }, [finished, step, goStep]);
  if (problem) return <ProblemNote problem={problem} />;
  return plan ? <PlanProgress plan={plan} /> : null;
}

function Sending({ id }: { id: number }) {
  const { submission, problem } = useSubmission(id);
  const { goStep, step } = useImport();
  const finished = submission?.state === 'finished';
  // What a planner came for is each row's fate: it is shown as soon as there is nothing left to watch.
  useEffect(() => {
    if (finished && step === 'send') goStep('results');
  }, [finished, step, goStep]);
  if (problem) return <ProblemNote problem={problem} />;
  return submission ? <SubmissionProgress submission={submission} /> : null;
}
