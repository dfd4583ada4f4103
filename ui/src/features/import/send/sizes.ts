import type { Operation } from '@/ipc/bindings';

/** Entries per request where nobody says otherwise. What can't be read back goes in no larger requests than the contract says. */
export function usualSize(operation: Operation | undefined, ofSite: number | null): number {
  const unreadable = operation?.kind === 'sync' && !operation.readBack;
  return Math.min(ofSite ?? operation?.batchSize ?? 100, unreadable ? operation.batchSize : Infinity);
}

/** What all of them are; nothing where they differ. */
export function common(sizes: number[]): number | null {
  const [first] = sizes;
  return first !== undefined && sizes.every((size) => size === first) ? first : null;
}
