import { useTranslation } from 'react-i18next';

import { resultWord } from '@/base/engineWords';
import { useFormats } from '@/base/useFormats';
import { resultSigns } from '@/components/marks/StatusMarks';
import type { BatchView, SubmissionView } from '@/ipc/bindings';
import { results, worst } from '../common/results';
import styles from '../common/submission.module.css';

/** One small square per batch in the colour of its results; the last two hundred. */
export function BatchStrip({ submission }: { submission: SubmissionView }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { recent, batches, state } = submission;
  const last = recent.at(-1)?.number ?? 0;
  const waiting = state === 'finished' ? 0 : Math.min(60, Math.max(0, batches - last));
  return (
    <section aria-label={t('submission.batches')}>
      <ol className={styles.strip} data-testid="batch-strip" aria-label={t('submission.batchCount', { count: batches, done: number(last), total: number(batches) })}>
        {recent.map((batch) => (
          <Square key={batch.number} batch={batch} />
        ))}
        {Array.from({ length: waiting }, (_, index) => (
          <li key={`waiting-${index}`} className={styles.square} data-result="pending" aria-hidden />
        ))}
      </ol>
    </section>
  );
}

function Square({ batch }: { batch: BatchView }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const result = worst(batch.counts);
  const said = results
    .filter((one) => batch.counts[one] > 0)
    .map((one) => `${number(batch.counts[one])} ${resultWord(one)}`)
    .join(', ');
  // Unconfirmed rows that were sent again belong to the later request.
  const label = `${t('submission.batch', { number: batch.number })}: ${said || t('submission.sentAgain')}`;
  return (
    <li className={styles.square} data-result={result} title={label}>
      <span aria-hidden>{result === 'accepted' || result === 'pending' ? '' : resultSigns[result]}</span>
      <span className="hidden">{label}</span>
    </li>
  );
}
