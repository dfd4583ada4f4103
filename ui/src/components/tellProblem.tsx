import { notifications } from '@mantine/notifications';

import { toProblem } from '../ipc/problem';
import { ProblemNote } from './ProblemNote';

/** A problem as a notice that stays until it is closed. */
export function tellProblem(cause: unknown, closeLabel: string): void {
  notifications.show({
    message: <ProblemNote problem={toProblem(cause)} quiet />,
    color: 'red',
    autoClose: false,
    closeButtonProps: { 'aria-label': closeLabel },
  });
}
