import { kinds } from '@/components/marks/KindMark';
import type { PreviewChoice, PreviewCounts, PreviewKind, PreviewView } from '@/ipc/bindings';

/** Without these nothing is missed where there are none. */
const rare = new Set<PreviewKind>(['notLinked', 'conflict', 'unknown']);

/** The totals to be shown: the four that are always asked for, and the rare ones where there are any. */
export function shownKinds(counts: PreviewCounts): PreviewKind[] {
  return kinds.filter((kind) => !rare.has(kind) || counts[kind] > 0);
}

/** What stays where it is because of the preview. */
export function skipped({ counts, steps }: Pick<PreviewView, 'counts' | 'steps'>, choice: PreviewChoice): number {
  const same = choice.sendSame ? 0 : counts.same + counts.notLinked;
  const unchecked = choice.sendUnchecked ? 0 : uncheckedDeletes(steps);
  return same + unchecked + (choice.conflicts === 'send' ? 0 : counts.conflict);
}

/** Rows of a delete that couldn't be compared. */
export function uncheckedDeletes(steps: PreviewView['steps']): number {
  return steps.reduce((sum, step) => sum + (step.deletes ? step.counts.unknown : 0), 0);
}

/** True where a person has to say what becomes of conflicts. */
export function undecided(preview: PreviewView | null, choice: PreviewChoice): boolean {
  return preview !== null && preview.counts.conflict > 0 && choice.conflicts === 'stop';
}
