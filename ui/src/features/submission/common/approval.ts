import type { ApprovalView, SubmissionState, SubmissionView } from '@/ipc/bindings';

type WithApproval = Pick<SubmissionView, 'approval'>;

/** Whether an approval is missing or was declined. */
export function needsApproval({ approval }: WithApproval): boolean {
  return approval !== null && approval.decision !== 'approved';
}

/** Whether nothing can be sent: an approval is missing or was declined, or its practice plant no longer exists. */
export function isBlocked(submission: Pick<SubmissionView, 'approval' | 'plantGone'>): boolean {
  return submission.plantGone || needsApproval(submission);
}

/** Whether this user must approve or decline the submission. */
export function awaitsDecision({ approval }: WithApproval): boolean {
  return approval !== null && approval.decision === null && !approval.isOwn;
}

/** Whether the submission was approved and nothing was sent yet. */
export function isFirstStart({ approval, requests }: Pick<SubmissionView, 'approval' | 'requests'>): boolean {
  return approval?.decision === 'approved' && requests === 0;
}

/** Returns the state to show. It distinguishes a submission that awaits approval from a paused one. */
export function shownState<State extends SubmissionState>(state: State, approval: ApprovalView | null): State | 'approval' | 'declined' {
  if (approval?.decision === 'declined') return 'declined';
  return state === 'paused' && approval !== null && approval.decision === null ? 'approval' : state;
}
