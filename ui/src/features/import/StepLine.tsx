import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { reachable, steps, useImport } from './session';
import styles from './import.module.css';

/** Where the import stands; each step that can be reached can be gone to. */
export function StepLine() {
  const { t } = useTranslation();
  const session = useImport();
  const at = steps.indexOf(session.step);
  return (
    <nav aria-label={t('import.stepsName')}>
      <ol className={styles.steps}>
        {steps.map((step, index) => (
          <li key={step} data-done={index < at}>
            <UnstyledButton
              className={styles.step}
              aria-current={step === session.step ? 'step' : undefined}
              disabled={!reachable(step, session)}
              onClick={() => session.goStep(step)}
              data-testid={`step-${step}`}
            >
              {t(`import.steps.${step}`)}
            </UnstyledButton>
          </li>
        ))}
      </ol>
    </nav>
  );
}
