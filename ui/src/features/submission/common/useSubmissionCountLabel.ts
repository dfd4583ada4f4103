import { useCountLabel } from '@/base/useCountLabel';
import type { SubmissionView } from '@/ipc/bindings';

type CountedSubmission = Pick<SubmissionView, 'operation' | 'items' | 'total' | 'counts'>;

/** Returns the operation if each row is one of its items, null if several rows form one. */
export function ownOperation({ operation, items, total, counts }: CountedSubmission): string | null {
  // Rows that were skipped before sending have no item.
  return items === total || items === total - counts.skipped ? operation : null;
}

/** Returns a formatter for counts of a submission's rows. They are called rows if several form one item. */
export function useSubmissionCountLabel(submission: CountedSubmission): (count: number) => string {
  const countLabel = useCountLabel();
  const own = ownOperation(submission);
  return (count) => countLabel(count, own);
}
