import type { RowResult, ResultCounts } from '@/ipc/bindings';

/** The results in display order. Results that need attention come first. */
export const RESULT_ORDER: readonly RowResult[] = ['unconfirmed', 'rejected', 'accepted', 'skipped', 'pending', 'sending'];

/** The rows that have been sent, and all rows to send. */
export type SendProgress = { done: number; toSend: number };

/** Counts the rows that have been sent. Skipped rows are never sent, so they count neither as done nor as rows to send. */
export function countProgress({ pending, sending, accepted, rejected, unconfirmed }: ResultCounts): SendProgress {
  const done = accepted + rejected + unconfirmed;
  return { done, toSend: done + pending + sending };
}

/** Returns the worst result of a batch. */
export function worstResult(counts: ResultCounts): RowResult {
  const order: readonly RowResult[] = ['unconfirmed', 'rejected', 'sending', 'pending', 'accepted', 'skipped'];
  return order.find((result) => counts[result] > 0) ?? 'pending';
}
