import { toProblem } from '@/ipc/problem';
import { showPageNotice } from './pageNotice';
import { ProblemNote } from './ProblemNote';

/** Shows a problem until the notice is closed or another page is opened. */
export function showProblemNotice(cause: unknown): void {
  const problem = toProblem(cause);
  const key = JSON.stringify([problem.code, problem.message, problem.parameters]);
  showPageNotice({ key, message: <ProblemNote problem={problem} isSubtle />, color: 'red' });
}
