import type { DifferenceKind, PartDifference } from '@/ipc/bindings';

/** Returns the kind of change. Without an old value the part is new, without a new one it is gone. */
export function partKind({ before, after }: PartDifference): DifferenceKind {
  if (before === '') return 'added';
  return after === '' ? 'gone' : 'changed';
}
