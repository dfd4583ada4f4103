import { PREVIEW_KINDS } from '@/components/marks/KindMark';
import type { PreviewChoice, PreviewCounts, PreviewKind, PreviewView } from '@/ipc/bindings';

/** Outcomes that are shown only if rows have them. */
const RARE_KINDS = new Set<PreviewKind>(['notLinked', 'conflict', 'unknown']);

/** Returns the outcomes to show: the common ones, and rare ones that some rows have. */
export function visibleKinds(counts: PreviewCounts): PreviewKind[] {
  return PREVIEW_KINDS.filter((kind) => !RARE_KINDS.has(kind) || counts[kind] > 0);
}

/** Returns the number of rows that aren't sent because of the preview. */
export function skippedCount({ counts, steps }: Pick<PreviewView, 'counts' | 'steps'>, choice: PreviewChoice): number {
  const same = choice.sendSame ? 0 : counts.same + counts.notLinked;
  const unchecked = choice.sendUnchecked ? 0 : uncheckedDeletes(steps);
  return same + unchecked + (choice.conflicts === 'send' ? 0 : counts.conflict);
}

/** The rows whose sent changes can be undone, and those whose can't because their earlier values can't be sent back. */
export type UndoForecast = { undoable: number; permanent: number };

/** Predicts an undo. Conflicts count only if they are sent. Deletes are never undone. */
export function forecastUndo(steps: PreviewView['steps'], choice: PreviewChoice): UndoForecast {
  const forecast = { undoable: 0, permanent: 0 };
  const sendsConflicts = choice.conflicts === 'send';
  for (const { counts, deletes, undoableChanges, undoableConflicts } of steps) {
    if (deletes) continue;
    const undoable = undoableChanges + (sendsConflicts ? undoableConflicts : 0);
    forecast.undoable += undoable;
    forecast.permanent += counts.changed + (sendsConflicts ? counts.conflict : 0) - undoable;
  }
  return forecast;
}

/** Returns the number of deletes that couldn't be compared. */
export function uncheckedDeletes(steps: PreviewView['steps']): number {
  return steps.reduce((sum, step) => sum + (step.deletes ? step.counts.unknown : 0), 0);
}

/** Whether a decision on conflicts is missing. */
export function isUndecided(preview: PreviewView | null, choice: PreviewChoice): boolean {
  return preview !== null && preview.counts.conflict > 0 && choice.conflicts === 'stop';
}
