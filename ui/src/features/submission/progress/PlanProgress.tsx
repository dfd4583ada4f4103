import { useTranslation } from 'react-i18next';

import { resultWord } from '@/base/engineTexts';
import { useFormats } from '@/base/useFormats';
import { ResultSign } from '@/components/marks/StatusMarks';
import { ProblemNote } from '@/components/notices/ProblemNote';
import type { PlanView, SubmissionView } from '@/ipc/bindings';
import { HeadlineText } from '../common/HeadlineText';
import { PlanTabs } from '../common/PlanTabs';
import { Totals } from '../common/Totals';
import { isBlocked } from '../common/approval';
import { RESULT_ORDER } from '../common/results';
import { BatchStrip } from './BatchStrip';
import { RunControls } from './RunControls';
import styles from '../common/submission.module.css';

/** Shows the last ten requests with their results. */
function LatestResponses({ submission }: { submission: SubmissionView }) {
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
                {RESULT_ORDER
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

/** A running submission: controls, batches, totals and latest responses. */
function SubmissionProgress({ submission }: { submission: SubmissionView }) {
  return (
    <div className={styles.running}>
      <HeadlineText submission={submission} />
      {!isBlocked(submission) && <RunControls submission={submission} />}
      {submission.problem && <ProblemNote problem={submission.problem} />}
      <BatchStrip submission={submission} />
      <Totals counts={submission.counts} total={submission.total} isSending />
      <LatestResponses submission={submission} />
    </div>
  );
}

/** A running plan: its steps, and the progress of the current one. */
export function PlanProgress({ plan }: { plan: PlanView }) {
  const steps = plan.submissions;
  const now = steps.find((one) => one.state === 'running') ?? steps.find((one) => one.counts.pending > 0) ?? steps.at(-1);
  return (
    <>
      <PlanTabs plan={plan} chosen={now?.id ?? null} />
      {now && <SubmissionProgress submission={now} />}
    </>
  );
}
