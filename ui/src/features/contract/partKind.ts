import type { DifferenceKind, PartDifference } from '@/ipc/bindings';

/** Returns the kind of change of a part. Without an old value the part was added, without a new value it is gone. */
export function partKind({ before, after }: PartDifference): DifferenceKind {
  if (before === '') return 'added';
  return after === '' ? 'gone' : 'changed';
}
