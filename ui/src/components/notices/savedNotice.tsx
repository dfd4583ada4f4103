import { notifications } from '@mantine/notifications';
import i18next from 'i18next';
import { Button, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { commands } from '@/ipc/bindings';

import { showProblemNotice } from './problemNotice';
import { showWarningNotice } from './warningNotice';

/** A saved file's location, with buttons to open the file and its folder. */
function SavedFile({ path, message }: { path: string; message: string }) {
  const { t } = useTranslation();
  const createOpenHandler = (command: (path: string) => Promise<boolean>) => () =>
    void command(path)
      .then((done) => done || showWarningNotice(t('common.cannotOpen', { path })))
      .catch(showProblemNotice);
  return (
    <>
      <p>{message}</p>
      <Group gap="xs">
        <Button size="compact-sm" variant="default" onClick={createOpenHandler(commands.savedFileOpen)} data-testid="saved-open">
          {t('common.openFile')}
        </Button>
        <Button size="compact-sm" variant="subtle" onClick={createOpenHandler(commands.savedFileShow)} data-testid="saved-show">
          {t('common.showInFolder')}
        </Button>
      </Group>
    </>
  );
}

/** The time for which the notice is shown, in milliseconds. */
const NOTICE_DURATION = 12_000;

/** Shows where a file was saved. Does nothing if the dialog was canceled. */
export function showSavedNotice(path: string | null, message?: string): void {
  if (path === null) return;
  notifications.show({
    message: <SavedFile path={path} message={message ?? i18next.t('common.savedTo', { path })} />,
    autoClose: NOTICE_DURATION,
    closeButtonProps: { 'aria-label': i18next.t('common.close') },
  });
}
