import { kinds } from '@/components/marks/KindMark';
import type { PreviewChoice, PreviewCounts, PreviewKind, PreviewView } from '@/ipc/bindings';

/** Without these nothing is missed where there are none. */
const rare = new Set<PreviewKind>(['notLinked', 'conflict', 'unknown']);

/** The totals to be shown: the four that are always asked for, and the rare ones where there are any. */
export function shownKinds(counts: PreviewCounts): PreviewKind[] {
  return kinds.filter((kind) => !rare.has(kind) || counts[kind] > 0);
}

/** What stays where it is because of the preview. */
export function skipped(counts: PreviewCounts, choice: PreviewChoice): number {
  const same = choice.sendSame ? 0 : counts.same + counts.notLinked;
  return same + (choice.conflicts === 'send' ? 0 : counts.conflict);
}

/** True where a person has to say what becomes of conflicts. */
export function undecided(preview: PreviewView | null, choice: PreviewChoice): boolean {
  return preview !== null && preview.counts.conflict > 0 && choice.conflicts === 'stop';
}
