import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useImport } from '@/features/import-session';
import { PlanTabs, Results, usePlan } from '@/features/submission';
import styles from '../common/plan.module.css';

/** The results of the import's rows, step by step. */
export function ResultsStep() {
  const { plan } = useImport();
  return plan === null ? null : <PlanResults id={plan} />;
}

function PlanResults({ id }: { id: number }) {
  const { t } = useTranslation();
  const { view, leave } = useImport();
  const { plan } = usePlan(id);
  const [chosen, setChosen] = useState<number | null>(null);
  if (!plan) return null;
  // Starts with the first step that has failures.
  const worst = plan.submissions.find((one) => one.counts.accepted + one.counts.skipped !== one.total);
  const step = plan.submissions.find((one) => one.id === chosen) ?? worst ?? plan.submissions[0];
  if (!step) return null;
  return (
    <div className={styles.results}>
      <PlanTabs plan={plan} chosen={step.id} choose={setChosen} />
      <Results
        key={step.id}
        id={step.id}
        title={t('import.steps.results')}
        workbook={view?.id}
        leave={() => void leave()}
      />
    </div>
  );
}
