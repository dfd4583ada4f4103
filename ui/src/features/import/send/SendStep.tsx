import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';

import { ProblemNote } from '@/components/notices/ProblemNote';
import { useImport } from '@/features/import-session';
import { SignInPanel } from '@/features/sign-in';
import { PlanProgress, isBlocked, usePlan } from '@/features/submission';
import type { ImportView, SubmissionView } from '@/ipc/bindings';
import { useImportSite } from '../common/importSite';
import { SendForm } from './SendForm';

/** The send step: sign-in if needed, confirmation, and progress. */
export function SendStep({ view }: { view: ImportView }) {
  const { t } = useTranslation();
  const site = useImportSite(view);
  const { plan } = useImport();
  if (plan !== null) return <SendProgress id={plan} />;
  if (site && !site.signedIn) return <SignInPanel why={t('send.signInFirst')} />;
  return <SendForm view={view} />;
}

function SendProgress({ id }: { id: number }) {
  const { plan, problem } = usePlan(id);
  const { goToStep, step } = useImport();
  const finished = plan !== undefined && !plan.running && (plan.submissions.some(isBlocked) || plan.submissions.every(isDone));
  // The results are shown as soon as sending has finished.
  useEffect(() => {
    if (finished && step === 'send') goToStep('results');
  }, [finished, step, goToStep]);
  if (problem) return <ProblemNote problem={problem} />;
  return plan ? <PlanProgress plan={plan} /> : null;
}

/** Whether no more rows will be sent. Rows that wait for other rows stay pending. */
function isDone({ state, counts, waiting }: SubmissionView): boolean {
  return state === 'finished' || (waiting > 0 && counts.pending === waiting);
}
