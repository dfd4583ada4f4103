import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import styles from '@/components/page/tabs.module.css';
import type { PreviewStep } from '@/ipc/bindings';
import { KindSign } from './KindMark';
import { kinds } from './previewKinds';

type Props = { steps: PreviewStep[]; chosen: number; choose: (step: number) => void };

/** The steps of a plan with what would become of their rows. */
export function PreviewTabs({ steps, chosen, choose }: Props) {
  const { t } = useTranslation();
  const { number } = useFormats();
  return (
    <nav className={styles.bar} aria-label={t('plan.title')}>
      {steps.map((step, index) => (
        <UnstyledButton
          key={step.sheet}
          className={styles.tab}
          aria-current={index === chosen ? 'page' : undefined}
          onClick={() => choose(index)}
          data-testid={`preview-step-${step.sheet}`}
        >
          <span>{step.sheet}</span>{' '}
          <span className={styles.mark}>
            {kinds
              .filter((kind) => step.counts[kind] > 0)
              .map((kind) => (
                <span key={kind} title={t(`preview.kinds.${kind}`)}>
                  <KindSign kind={kind} /> <span className="number">{number(step.counts[kind])}</span>
                  <span className="hidden"> {t(`preview.kinds.${kind}`)}</span>{' '}
                </span>
              ))}
          </span>
        </UnstyledButton>
      ))}
    </nav>
  );
}
