import { useTranslation } from 'react-i18next';

import { resultWord } from '@/base/engineWords';
import { useFormats } from '@/base/useFormats';
import { ResultSign } from '@/components/marks/StatusMarks';
import type { SubmissionView } from '@/ipc/bindings';
import { results } from '../common/results';
import styles from '../common/submission.module.css';

/** The last ten requests and what came back. */
export function LastAnswers({ submission }: { submission: SubmissionView }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const last = submission.recent.slice(-10).toReversed();
  if (last.length === 0) return null;
  return (
    <section aria-labelledby="last-answers">
      <h2 id="last-answers">{t('submission.lastAnswers')}</h2>
      <table className={styles.answers} aria-labelledby="last-answers">
        <thead>
          <tr>
            <th scope="col">{t('submission.batchColumn')}</th>
            <th scope="col">{t('submission.status')}</th>
            <th scope="col">{t('submission.time')}</th>
            <th scope="col">{t('submission.rows')}</th>
          </tr>
        </thead>
        <tbody>
          {last.map((batch) => (
            <tr key={batch.number}>
              <td className="number">{number(batch.number)}</td>
              <td className="number">{batch.status ?? '–'}</td>
              <td className="number">{batch.milliseconds === null ? '–' : t('duration.ms', { ms: number(batch.milliseconds) })}</td>
              <td>
                {results
                  .filter((result) => batch.counts[result] > 0)
                  .map((result) => (
                    <span key={result} className={styles.part}>
                      <ResultSign result={result} /> <span className="number">{number(batch.counts[result])}</span> {resultWord(result)}
                    </span>
                  ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
