import type { ApprovalView, SubmissionState, SubmissionView } from '@/ipc/bindings';

type Asked = Pick<SubmissionView, 'approval'>;

/** Nothing of it may be sent: a second person hasn't approved it yet, or has declined it. */
export function isHeld({ approval }: Asked): boolean {
  return approval !== null && approval.decision !== 'approved';
}

/** This desk's person is asked to approve it. */
export function awaitsDecision({ approval }: Asked): boolean {
  return approval !== null && approval.decision === null && !approval.isOwn;
}

/** A second person approved it, and nothing of it was sent yet. */
export function isFirstStart({ approval, requests }: Pick<SubmissionView, 'approval' | 'requests'>): boolean {
  return approval?.decision === 'approved' && requests === 0;
}

/** How a submission stands, as a person is told: what waits for an approval isn't just paused. */
export function shownState<State extends SubmissionState>(state: State, approval: ApprovalView | null): State | 'approval' | 'declined' {
  if (approval?.decision === 'declined') return 'declined';
  return state === 'paused' && approval !== null && approval.decision === null ? 'approval' : state;
}
