import { ProblemNote } from '@/components/notices/ProblemNote';
import type { SubmissionView } from '@/ipc/bindings';
import { BatchStrip } from './BatchStrip';
import { LastAnswers } from './LastAnswers';
import { Totals } from './Totals';
import { Transport } from './Transport';
import styles from './submission.module.css';

/** A submission while it runs: steering, amount, batches, totals, the last answers. */
export function Running({ submission }: { submission: SubmissionView }) {
  return (
    <div className={styles.running}>
      <Transport submission={submission} />
      {submission.problem && <ProblemNote problem={submission.problem} />}
      <BatchStrip submission={submission} />
      <Totals counts={submission.counts} total={submission.total} />
      <LastAnswers submission={submission} />
    </div>
  );
}
