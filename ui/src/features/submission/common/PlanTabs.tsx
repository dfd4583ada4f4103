import { useTranslation } from 'react-i18next';

import { resultWord } from '@/base/engineTexts';
import { useFormats } from '@/base/useFormats';
import { ResultSign } from '@/components/marks/StatusMarks';
import { StepTabs } from '@/components/page/StepTabs';
import styles from '@/components/page/tabs.module.css';
import type { RowResult, PlanView, SubmissionView } from '@/ipc/bindings';
import { RESULT_ORDER } from './results';

type Props = { plan: PlanView; chosen: number | null; choose?: (id: number) => void };

/** The steps of a plan with their results. */
export function PlanTabs({ plan, chosen, choose }: Props) {
  return (
    <StepTabs
      tabs={plan.submissions.map((step) => ({ key: step.id, name: step.sheet, mark: <PlanStatus step={step} />, testId: `plan-step-${step.sheet}` }))}
      chosen={chosen}
      choose={choose && ((id) => choose(Number(id)))}
      testId="plan-steps"
    />
  );
}

function PlanStatus({ step }: { step: SubmissionView }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const name = (result: RowResult) => (result === 'pending' && step.waiting > 0 ? t('plan.waiting') : resultWord(result));
  return (
    <span className={styles.mark}>
      {RESULT_ORDER
        .filter((result) => step.counts[result] > 0)
        .map((result) => (
          <span key={result} title={name(result)}>
            <ResultSign result={result} /> <span className="number">{number(step.counts[result])}</span>
            <span className="hidden"> {name(result)}</span>{' '}
          </span>
        ))}
    </span>
  );
}
