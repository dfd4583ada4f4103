import type { SubmissionView } from '@/ipc/bindings';
import { useHeadline } from './useHeadline';
import styles from './submission.module.css';

/** A submission's outcome as text. */
export function HeadlineText({ submission }: { submission: SubmissionView }) {
  const { main, rest } = useHeadline(submission);
  return (
    <p className={styles.headline} role="status" data-testid="headline">
      <b>{main}</b> {rest && <span className="muted">{rest}</span>}
    </p>
  );
}
