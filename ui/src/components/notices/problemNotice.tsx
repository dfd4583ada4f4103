import { notifications } from '@mantine/notifications';
import i18next from 'i18next';

import { toProblem } from '@/ipc/problem';
import { ProblemNote } from './ProblemNote';

/** Shows a problem until the notice is closed. */
export function showProblemNotice(cause: unknown): void {
  notifications.show({
    message: <ProblemNote problem={toProblem(cause)} quiet />,
    color: 'red',
    autoClose: false,
    closeButtonProps: { 'aria-label': i18next.t('common.close') },
  });
}
