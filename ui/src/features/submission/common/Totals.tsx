import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { fateWord } from '@/base/engineWords';
import { useFormats } from '@/base/useFormats';
import { FateSign } from '@/components/marks/StatusMarks';
import type { Fate, FateCounts } from '@/ipc/bindings';
import { fates } from './fates';
import styles from './submission.module.css';

type Props = {
  counts: FateCounts;
  total: number;
  chosen?: Fate | null;
  choose?: ((fate: Fate | null) => void) | undefined;
};

/** Rows per fate; they add up to the total. As filters where there is a list to filter. */
export function Totals({ counts, total, chosen = null, choose }: Props) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const body = (fate: Fate) => (
    <>
      <FateSign fate={fate} />
      <b className="number" data-testid={`fate-${fate}`}>
        {number(counts[fate])}
      </b>
      <span>{fateWord(fate)}</span>
    </>
  );
  return (
    <div className={styles.totals} role="group" aria-label={t('submission.totals')} aria-live="polite">
      {fates.map((fate) =>
        choose ? (
          <UnstyledButton
            key={fate}
            className={styles.total}
            aria-pressed={chosen === fate}
            onClick={() => choose(chosen === fate ? null : fate)}
            data-testid={`filter-${fate}`}
            data-zero={counts[fate] === 0}
          >
            {body(fate)}
          </UnstyledButton>
        ) : (
          <span key={fate} className={styles.total} data-zero={counts[fate] === 0}>
            {body(fate)}
          </span>
        ),
      )}
      <span className={styles.sum}>
        {t('submission.of')}{' '}
        <b className="number" data-testid="fate-total">
          {number(total)}
        </b>
      </span>
    </div>
  );
}
