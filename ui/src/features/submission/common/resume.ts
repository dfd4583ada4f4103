import { isClaimed } from '@/components/notices/StartProblem';
import { type PlanView, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';

/** Resumes all steps of the plan without the rows that colleagues are sending. */
export async function resumeSkippingClaimed(id: number, confirmed: string | null): Promise<PlanView> {
  try {
    // Other obstacles, such as the name of a production site, come first. Until then no row is skipped.
    return await commands.submissionResume(id, confirmed);
  } catch (cause) {
    if (!isClaimed(toProblem(cause))) throw cause;
  }
  await commands.submissionSkipClaimed(id);
  try {
    return await commands.submissionResume(id, confirmed);
  } catch (cause) {
    const { code, parameters } = toProblem(cause);
    // Colleagues were sending all remaining rows.
    if (code === 'precondition' && parameters['obstacle'] === 'nothing-pending') return commands.planGet(id);
    throw cause;
  }
}
