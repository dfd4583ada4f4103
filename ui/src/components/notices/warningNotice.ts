import { notifications } from '@mantine/notifications';
import i18next from 'i18next';

/** What was done, but not all that a person may expect of it: stays until it is closed. */
export function showWarningNotice(message: string): void {
  notifications.show({ message, color: 'yellow', autoClose: false, closeButtonProps: { 'aria-label': i18next.t('common.close') } });
}
