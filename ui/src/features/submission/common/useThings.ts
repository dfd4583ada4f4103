import { useNouns } from '@/base/useNouns';
import type { SubmissionView } from '@/ipc/bindings';

type Counted = Pick<SubmissionView, 'operation' | 'items' | 'total' | 'counts'>;

/** Returns the operation if each row is one of its items, null if several rows form one. */
export function ownOperation({ operation, items, total, counts }: Counted): string | null {
  // Rows that were skipped before sending have no item.
  return items === total || items === total - counts.skipped ? operation : null;
}

/** Returns a formatter for counts of a submission's rows. They are called rows if several form one item. */
export function useThings(submission: Counted): (count: number) => string {
  const nouns = useNouns();
  const own = ownOperation(submission);
  return (count) => nouns(count, own);
}
