import type { RowResult, ResultCounts } from '@/ipc/bindings';

/** What needs a person stands first. */
export const results: readonly RowResult[] = ['unconfirmed', 'rejected', 'accepted', 'skipped', 'pending', 'sending'];

/** The result that says most about a batch: its worst one. */
export function worst(counts: ResultCounts): RowResult {
  const order: readonly RowResult[] = ['unconfirmed', 'rejected', 'sending', 'pending', 'accepted', 'skipped'];
  return order.find((result) => counts[result] > 0) ?? 'pending';
}
