import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { KindSign, PREVIEW_KINDS } from '@/components/marks/KindMark';
import { StepTabs } from '@/components/page/StepTabs';
import styles from '@/components/page/tabs.module.css';
import type { PreviewStep } from '@/ipc/bindings';

type Props = { steps: PreviewStep[]; chosen: number; choose: (step: number) => void };

/** The steps of a plan with the outcomes of their rows. */
export function PreviewTabs({ steps, chosen, choose }: Props) {
  return (
    <StepTabs
      tabs={steps.map((step, index) => ({ key: index, name: step.sheet, mark: <Kinds step={step} />, testId: `preview-step-${step.sheet}` }))}
      chosen={chosen}
      choose={(index) => choose(Number(index))}
    />
  );
}

function Kinds({ step }: { step: PreviewStep }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  return (
    <span className={styles.mark}>
      {PREVIEW_KINDS
        .filter((kind) => step.counts[kind] > 0)
        .map((kind) => (
          <span key={kind} title={t(`preview.kinds.${kind}`)}>
            <KindSign kind={kind} /> <span className="number">{number(step.counts[kind])}</span>
            <span className="hidden"> {t(`preview.kinds.${kind}`)}</span>{' '}
          </span>
        ))}
    </span>
  );
}
