import { notifications } from '@mantine/notifications';
import i18next from 'i18next';
import type { ReactNode } from 'react';

type PageNotice = {
  /** The same notice is shown only once. */
  key: string;
  message: ReactNode;
  color: 'red' | 'yellow';
};

const shown = new Set<string>();

/** Shows a notice until it is closed or another page is opened, since it belongs to what was done on this page. */
export function showPageNotice({ key, message, color }: PageNotice): void {
  shown.add(key);
  notifications.show({
    id: key,
    message,
    color,
    autoClose: false,
    closeButtonProps: { 'aria-label': i18next.t('common.close') },
  });
}

/** Closes the notices of a page that is left. */
export function closePageNotices(): void {
  for (const key of shown) notifications.hide(key);
  shown.clear();
}
