import { isClaimed } from '@/components/notices/StartProblem';
import { type PlanView, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';

/** Goes on with all steps of the plan, without the rows that colleagues are sending. */
export async function resumeSkippingClaimed(id: number, confirmed: string | null): Promise<PlanView> {
  try {
    // What else is in the way comes first, as the typed name of a production site: until then no row is given up.
    return await commands.submissionResume(id, confirmed);
  } catch (cause) {
    if (!isClaimed(toProblem(cause))) throw cause;
  }
  await commands.submissionSkipClaimed(id);
  try {
    return await commands.submissionResume(id, confirmed);
  } catch (cause) {
    const { code, parameters } = toProblem(cause);
    // Colleagues were sending all that was left.
    if (code === 'precondition' && parameters['obstacle'] === 'nothing-pending') return commands.planGet(id);
    throw cause;
  }
}
