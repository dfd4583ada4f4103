import { useTranslation } from 'react-i18next';

import { fateWord } from '@/base/engineWords';
import { useFormats } from '@/base/useFormats';
import { FateSign } from '@/components/marks/StatusMarks';
import { StepTabs } from '@/components/page/StepTabs';
import styles from '@/components/page/tabs.module.css';
import type { Fate, PlanView, SubmissionView } from '@/ipc/bindings';
import { fates } from './fates';

type Props = { plan: PlanView; chosen: number | null; choose?: (id: number) => void };

/** The steps of a plan with what became of their rows. */
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
  const name = (fate: Fate) => (fate === 'pending' && step.waiting > 0 ? t('plan.waiting') : fateWord(fate));
  return (
    <span className={styles.mark}>
      {fates
        .filter((fate) => step.counts[fate] > 0)
        .map((fate) => (
          <span key={fate} title={name(fate)}>
            <FateSign fate={fate} /> <span className="number">{number(step.counts[fate])}</span>
            <span className="hidden"> {name(fate)}</span>{' '}
          </span>
        ))}
    </span>
  );
}
