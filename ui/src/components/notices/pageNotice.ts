import { notifications, notificationsStore } from '@mantine/notifications';
import i18next from 'i18next';
import type { ReactNode } from 'react';

type PageNotice = {
  /** The same notice is shown only once. */
  key: string;
  message: ReactNode;
  color: 'red' | 'yellow';
};

const ID_PREFIX = 'page:';

/** Shows a notice about an action on this page. It is shown until it is closed or another page is opened. */
export function showPageNotice({ key, message, color }: PageNotice): void {
  notifications.show({
    id: ID_PREFIX + key,
    message,
    color,
    autoClose: false,
    closeButtonProps: { 'aria-label': i18next.t('common.close') },
  });
}

/** Closes all page notices. Called when another page is opened. */
export function closePageNotices(): void {
  const { notifications: openNotices, queue } = notificationsStore.getState();
  for (const { id } of [...openNotices, ...queue]) {
    if (id?.startsWith(ID_PREFIX)) notifications.hide(id);
  }
}
