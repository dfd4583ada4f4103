import { notifications } from '@mantine/notifications';
import i18next from 'i18next';

import { SavedFile } from './SavedFile';

/** Long enough to read where it went and to open it. Milliseconds. */
const shown = 12_000;

/** Says where a file went, and opens it; nothing where the dialog was cancelled. */
export function showSavedNotice(path: string | null, message?: string): void {
  if (path === null) return;
  notifications.show({
    message: <SavedFile path={path} message={message ?? i18next.t('common.savedTo', { path })} />,
    autoClose: shown,
    closeButtonProps: { 'aria-label': i18next.t('common.close') },
  });
}
