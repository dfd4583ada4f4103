import type { SubmissionView } from '@/ipc/bindings';
import { awaitsDecision, isHeld } from './approval';

/** What a person does next with a submission. */
export type NextAction = 'continue' | 'look-up' | 'decide' | 'fix' | 'leave' | 'save';

/** What is known beside the submission itself. */
type Known = {
  /** Unconfirmed rows can be read back. */
  readable: boolean;
  /** The import that it was made of is still open: another one can follow. */
  open: boolean;
};

/** The one action that stands out; none while rows are sent, or where a decision about all of them stands out itself. What nobody knows goes before what the service refused. */
export function nextAction(submission: SubmissionView, { readable, open }: Known): NextAction | null {
  const { state, counts, waiting, file } = submission;
  if (state === 'running' || state === 'preparing' || awaitsDecision(submission)) return null;
  if ((counts.pending > 0 || waiting > 0) && !isHeld(submission)) return 'continue';
  if (counts.unconfirmed > 0) return readable ? 'look-up' : 'decide';
  if (counts.rejected > 0 && file !== '') return 'fix';
  return open ? 'leave' : 'save';
}
