import { notifications, notificationsStore } from '@mantine/notifications';
import i18next from 'i18next';
import type { ReactNode } from 'react';

type PageNotice = {
  /** The same notice is shown only once. */
  key: string;
  message: ReactNode;
  color: 'red' | 'yellow';
};

const PREFIX = 'page:';

/** Shows a notice until it is closed or another page is opened, since it belongs to what was done on this page. */
export function showPageNotice({ key, message, color }: PageNotice): void {
  notifications.show({
    id: PREFIX + key,
    message,
    color,
    autoClose: false,
    closeButtonProps: { 'aria-label': i18next.t('common.close') },
  });
}

/** Closes the notices of a page that is left. */
export function closePageNotices(): void {
  const { notifications: shown, queue } = notificationsStore.getState();
  for (const { id } of [...shown, ...queue]) {
    if (id?.startsWith(PREFIX)) notifications.hide(id);
  }
}
