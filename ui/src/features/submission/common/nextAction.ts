import type { SubmissionView } from '@/ipc/bindings';
import { awaitsDecision, isBlocked } from './approval';

/** The recommended next action for a submission. */
export type NextAction = 'continue' | 'look-up' | 'decide' | 'fix' | 'leave' | 'save';

/** Facts beyond the submission. */
type Known = {
  /** Whether unconfirmed rows can be read back. */
  readable: boolean;
  /** Whether the submission's import is still open, so that another can follow. */
  open: boolean;
};

/**
 * Returns the highlighted action. Null while rows are sent, or if an approval is awaited. Unconfirmed rows come before rejected
 * ones.
 */
export function nextAction(submission: SubmissionView, { readable, open }: Known): NextAction | null {
  const { state, counts, waiting, file } = submission;
  if (state === 'running' || state === 'preparing' || awaitsDecision(submission)) return null;
  if ((counts.pending > 0 || waiting > 0) && !isBlocked(submission)) return 'continue';
  if (counts.unconfirmed > 0) return readable ? 'look-up' : 'decide';
  if (counts.rejected > 0 && file !== '') return 'fix';
  return open ? 'leave' : 'save';
}
