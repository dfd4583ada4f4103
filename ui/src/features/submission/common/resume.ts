import { isClaimed } from '@/components/notices/StartProblem';
import { type PlanView, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';

/** Resumes all steps of a plan. Rows that colleagues are sending are skipped. */
export async function resumeSkippingClaimed(id: number, confirmed: string | null): Promise<PlanView> {
  try {
    // First tries to resume without skipping rows, because the engine may refuse for another reason, such as a missing site name.
    return await commands.submissionResume(id, confirmed);
  } catch (cause) {
    if (!isClaimed(toProblem(cause))) throw cause;
  }
  await commands.submissionSkipClaimed(id);
  try {
    return await commands.submissionResume(id, confirmed);
  } catch (cause) {
    const { code, parameters } = toProblem(cause);
    // All remaining rows were skipped, so nothing is left to send.
    if (code === 'precondition' && parameters['obstacle'] === 'nothing-pending') return commands.planGet(id);
    throw cause;
  }
}
