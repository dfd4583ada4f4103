import { Button, UnstyledButton } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { reachable, steps, useImport } from '@/features/import-session';
import styles from './import.module.css';

/** Where the import stands; each step that can be reached can be gone to. */
export function StepLine() {
  const { t } = useTranslation();
  const session = useImport();
  const at = steps.indexOf(session.step);
  return (
    <nav aria-label={t('import.stepsName')} className={styles.stepLine}>
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
      {session.step !== 'results' && (
        <Button
          className={styles.close}
          variant="subtle"
          size="compact-sm"
          aria-label={t('import.leave')}
          title={t('import.leave')}
          onClick={() => void session.leave()}
          data-testid="import-leave"
        >
          <IconX size={14} aria-hidden />
          <span className={styles.closeText}>{t('import.leave')}</span>
        </Button>
      )}
    </nav>
  );
}
