import { useNouns } from '@/base/useNouns';
import type { SubmissionView } from '@/ipc/bindings';

type Counted = Pick<SubmissionView, 'operation' | 'items' | 'total' | 'counts'>;

/** What the rows of a submission are one each; null where several rows make one of them. */
export function ownOperation({ operation, items, total, counts }: Counted): string | null {
  // Rows that were skipped before it was sent became nothing.
  return items === total || items === total - counts.skipped ? operation : null;
}

/** Counts a submission's rows by what they are; where several rows make one of them, they stay rows. */
export function useThings(submission: Counted): (count: number) => string {
  const nouns = useNouns();
  const own = ownOperation(submission);
  return (count) => nouns(count, own);
}
