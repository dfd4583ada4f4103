import type { RowResult, ResultCounts } from '@/ipc/bindings';

/** The results in display order. Results that need attention come first. */
export const RESULT_ORDER: readonly RowResult[] = ['unconfirmed', 'rejected', 'accepted', 'skipped', 'pending', 'sending'];

/** Returns the worst result of a batch. */
export function worstResult(counts: ResultCounts): RowResult {
  const order: readonly RowResult[] = ['unconfirmed', 'rejected', 'sending', 'pending', 'accepted', 'skipped'];
  return order.find((result) => counts[result] > 0) ?? 'pending';
}
