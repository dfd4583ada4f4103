import { useTranslation } from 'react-i18next';

import { fateWord } from '@/base/engineWords';
import { useFormats } from '@/base/useFormats';
import { fateSigns } from '@/components/marks/StatusMarks';
import type { BatchView, SubmissionView } from '@/ipc/bindings';
import { fates, worst } from '../common/fates';
import styles from '../common/submission.module.css';

/** One small square per batch in the colour of its fates; the last two hundred. */
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
          <li key={`waiting-${index}`} className={styles.square} data-fate="pending" aria-hidden />
        ))}
      </ol>
    </section>
  );
}

function Square({ batch }: { batch: BatchView }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const fate = worst(batch.counts);
  const said = fates
    .filter((one) => batch.counts[one] > 0)
    .map((one) => `${number(batch.counts[one])} ${fateWord(one)}`)
    .join(', ');
  // Rows in doubt that were sent again belong to the later request.
  const label = `${t('submission.batch', { number: batch.number })}: ${said || t('submission.sentAgain')}`;
  return (
    <li className={styles.square} data-fate={fate} title={label}>
      <span aria-hidden>{fate === 'accepted' || fate === 'pending' ? '' : fateSigns[fate]}</span>
      <span className="hidden">{label}</span>
    </li>
  );
}
