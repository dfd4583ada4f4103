import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { resultWord } from '@/base/engineTexts';
import { useFormats } from '@/base/useFormats';
import { ResultSign } from '@/components/marks/StatusMarks';
import type { RowResult, ResultCounts } from '@/ipc/bindings';
import { RESULT_ORDER } from './results';
import styles from './submission.module.css';

type Props = {
  counts: ResultCounts;
  total: number;
  chosen?: RowResult | null;
  choose?: ((result: RowResult | null) => void) | undefined;
  /** Whether rows are being sent. Otherwise results without rows are hidden. */
  isSending: boolean;
};

/** Shows the number of rows per result. With `choose`, each number filters the list. */
export function Totals({ counts, total, chosen = null, choose, isSending }: Props) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const body = (result: RowResult) => (
    <>
      <ResultSign result={result} />
      <b className="number" data-testid={`result-${result}`}>
        {number(counts[result])}
      </b>
      <span>{resultWord(result)}</span>
    </>
  );
  return (
    <div className={styles.totals} role="group" aria-label={t('submission.totals')} aria-live="polite">
      {RESULT_ORDER.filter((result) => isSending || counts[result] > 0 || chosen === result).map((result) =>
        choose ? (
          <UnstyledButton
            key={result}
            className={styles.total}
            aria-pressed={chosen === result}
            onClick={() => choose(chosen === result ? null : result)}
            data-testid={`filter-${result}`}
            data-zero={counts[result] === 0}
          >
            {body(result)}
          </UnstyledButton>
        ) : (
          <span key={result} className={styles.total} data-zero={counts[result] === 0}>
            {body(result)}
          </span>
        ),
      )}
      <span className={styles.sum}>
        {t('submission.of')}{' '}
        <b className="number" data-testid="result-total">
          {number(total)}
        </b>
      </span>
    </div>
  );
}
