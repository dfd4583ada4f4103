import type { DifferenceKind, PartDifference } from '@/ipc/bindings';

/** What happens to a part: one that wasn't there before is new, one that won't be there is gone. */
export function partKind({ before, after }: PartDifference): DifferenceKind {
  if (before === '') return 'added';
  return after === '' ? 'gone' : 'changed';
}
