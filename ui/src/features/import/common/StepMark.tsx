import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import styles from '@/components/page/tabs.module.css';
import type { PlanStep } from '@/ipc/bindings';

/** A step's state as shape and words. */
export function StepMark({ step }: { step: PlanStep }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { state, counts } = step;
  const text =
    state === 'errors'
      ? t('plan.errors', { count: counts.errorRows, rows: number(counts.errorRows) })
      : t(`plan.states.${state}`);
  const shape = { ready: '●', look: '◆', errors: '▲', 'skipped': '–' }[state];
  return (
    <span className={styles.mark} data-state={state} data-testid={`plan-state-${step.sheet}`}>
      <span aria-hidden>{shape}</span> {text}
    </span>
  );
}
