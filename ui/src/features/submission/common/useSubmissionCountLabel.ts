import { useCountLabel } from '@/base/useCountLabel';
import type { SubmissionView } from '@/ipc/bindings';

type CountedSubmission = Pick<SubmissionView, 'operation' | 'items' | 'total' | 'counts'>;

/** Returns the operation if each row is one item. Null if several rows form an item. */
export function countedOperation({ operation, items, total, counts }: CountedSubmission): string | null {
  // Rows that were skipped before sending have no item.
  return items === total || items === total - counts.skipped ? operation : null;
}

/** Returns a formatter for row counts, such as `34 orders`. The noun is `rows` if several rows form an item. */
export function useSubmissionCountLabel(submission: CountedSubmission): (count: number) => string {
  const countLabel = useCountLabel();
  const operation = countedOperation(submission);
  return (count) => countLabel(count, operation);
}
