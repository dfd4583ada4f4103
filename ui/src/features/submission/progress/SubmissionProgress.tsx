import { ProblemNote } from '@/components/notices/ProblemNote';
import type { SubmissionView } from '@/ipc/bindings';
import { isHeld } from '../common/approval';
import { HeadlineText } from '../common/HeadlineText';
import { Totals } from '../common/Totals';
import { BatchStrip } from './BatchStrip';
import { LastAnswers } from './LastAnswers';
import { RunControls } from './RunControls';
import styles from '../common/submission.module.css';

/** A submission while it runs: steering, amount, batches, totals, the last answers. */
export function SubmissionProgress({ submission }: { submission: SubmissionView }) {
  return (
    <div className={styles.running}>
      <HeadlineText submission={submission} />
      {!isHeld(submission) && <RunControls submission={submission} />}
      {submission.problem && <ProblemNote problem={submission.problem} />}
      <BatchStrip submission={submission} />
      <Totals counts={submission.counts} total={submission.total} moving />
      <LastAnswers submission={submission} />
    </div>
  );
}
