import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import styles from '@/components/page/tabs.module.css';
import { useImport } from '@/features/import-session';
import { type ImportView, commands } from '@/ipc/bindings';
import { StepMark } from './common/StepMark';

/** From sheet to sheet while columns and rows are looked at. */
export function PlanBar({ view }: { view: ImportView }) {
  const { t } = useTranslation();
  const { apply, busy } = useImport();
  return (
    <nav className={styles.bar} aria-label={t('plan.title')} data-testid="plan-bar">
      {view.steps.map((step) => (
        <UnstyledButton
          key={step.sheet}
          className={styles.tab}
          aria-current={step.sheet === view.sheet ? 'page' : undefined}
          disabled={busy}
          onClick={() => void apply(commands.importSheet(view.id, step.sheet))}
          data-testid={`plan-go-${step.sheet}`}
        >
          <span>{step.sheet}</span> <StepMark step={step} />
        </UnstyledButton>
      ))}
    </nav>
  );
}
