import type { Fate, FateCounts } from '@/ipc/bindings';

/** What needs a person stands first. */
export const fates: readonly Fate[] = ['inDoubt', 'rejected', 'accepted', 'skipped', 'pending', 'sending'];

/** The fate that says most about a batch: its worst one. */
export function worst(counts: FateCounts): Fate {
  const order: readonly Fate[] = ['inDoubt', 'rejected', 'sending', 'pending', 'accepted', 'skipped'];
  return order.find((fate) => counts[fate] > 0) ?? 'pending';
}
