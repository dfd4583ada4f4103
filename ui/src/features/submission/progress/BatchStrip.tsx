import { useTranslation } from 'react-i18next';

import { resultWord } from '@/base/engineTexts';
import { useFormats } from '@/base/useFormats';
import { RESULT_SIGNS } from '@/components/marks/StatusMarks';
import type { BatchView, ResultCounts, RowResult, SubmissionView } from '@/ipc/bindings';
import { RESULT_ORDER, worstResult } from '../common/results';
import styles from './batches.module.css';

/** One square per batch in the color of its worst result, for the last 200 batches. */
export function BatchStrip({ submission }: { submission: SubmissionView }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { recent, batches, state } = submission;
  const last = recent.at(-1)?.number ?? 0;
  const shownStates = new Set(recent.map(({ counts }) => squareStateOf(counts)));
  const waiting = state === 'finished' ? 0 : Math.min(60, Math.max(0, batches - last));
  return (
    <section aria-label={t('submission.batches')}>
      <ol className={styles.strip} data-testid="batch-strip" aria-label={t('submission.batchCount', { count: batches, done: number(last), total: number(batches) })}>
        {recent.map((batch) => (
          <BatchSquare key={batch.number} batch={batch} />
        ))}
        {Array.from({ length: waiting }, (_, index) => (
          <li key={`waiting-${index}`} className={styles.square} data-result="pending" aria-hidden />
        ))}
      </ol>
      <Legend shown={shownStates} />
    </section>
  );
}

/** The legend of the results that the squares show. */
function Legend({ shown }: { shown: ReadonlySet<SquareState> }) {
  const { t } = useTranslation();
  return (
    <p className={styles.legend} data-testid="batch-legend">
      <span>{t('submission.legend')}</span>
      {SQUARE_STATES
        .filter((one) => shown.has(one))
        .map((one) => (
          <span key={one} className={styles.legendEntry}>
            <span className={styles.square} data-result={one} aria-hidden>
              {squareSign(one)}
            </span>
            {one === 'again' ? t('submission.sentAgain') : resultWord(one)}
          </span>
        ))}
    </p>
  );
}

/** The state of a square. `again` is a batch whose rows were all sent again in later batches. */
type SquareState = RowResult | 'again';
const SQUARE_STATES: readonly SquareState[] = [...RESULT_ORDER, 'again'];

function squareStateOf(counts: ResultCounts): SquareState {
  return RESULT_ORDER.some((result) => counts[result] > 0) ? worstResult(counts) : 'again';
}

function squareSign(state: SquareState): string {
  if (state === 'again') return '↻';
  return state === 'accepted' || state === 'pending' ? '' : RESULT_SIGNS[state];
}

function BatchSquare({ batch }: { batch: BatchView }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const result = squareStateOf(batch.counts);
  const parts = RESULT_ORDER
    .filter((one) => batch.counts[one] > 0)
    .map((one) => `${number(batch.counts[one])} ${resultWord(one)}`)
    .join(', ');
  // Unconfirmed rows that were sent again are included in the later batch.
  const label = `${t('submission.batch', { number: batch.number })}: ${parts || t('submission.sentAgain')}`;
  return (
    <li className={styles.square} data-result={result} title={label}>
      <span aria-hidden>{squareSign(result)}</span>
      <span className="hidden">{label}</span>
    </li>
  );
}
