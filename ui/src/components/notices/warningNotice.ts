import { notifications } from '@mantine/notifications';
import i18next from 'i18next';

/** Shows a partial success until the notice is closed. */
export function showWarningNotice(message: string): void {
  notifications.show({ message, color: 'yellow', autoClose: false, closeButtonProps: { 'aria-label': i18next.t('common.close') } });
}
