import { notifications } from '@mantine/notifications';
import i18next from 'i18next';

/** Says where a file went; nothing where the dialog was cancelled. */
export function showSavedNotice(path: string | null): void {
  if (path === null) return;
  const message = i18next.t('common.savedTo', { path });
  notifications.show({ message, closeButtonProps: { 'aria-label': i18next.t('common.close') } });
}
