import { notifications } from '@mantine/notifications';
import i18next from 'i18next';
import { Button, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { commands } from '@/ipc/bindings';

import { showProblemNotice } from './problemNotice';
import { showWarningNotice } from './warningNotice';

/** A file that was saved: where it is, and the two things that people do next. */
function SavedFile({ path, message }: { path: string; message: string }) {
  const { t } = useTranslation();
  const start = (command: (path: string) => Promise<boolean>) => () =>
    void command(path)
      .then((done) => done || showWarningNotice(t('common.cannotOpen', { path })))
      .catch(showProblemNotice);
  return (
    <>
      <p>{message}</p>
      <Group gap="xs">
        <Button size="compact-sm" variant="default" onClick={start(commands.savedFileOpen)} data-testid="saved-open">
          {t('common.openFile')}
        </Button>
        <Button size="compact-sm" variant="subtle" onClick={start(commands.savedFileShow)} data-testid="saved-show">
          {t('common.showInFolder')}
        </Button>
      </Group>
    </>
  );
}

/** Long enough to read where it went and to open it. Milliseconds. */
const NOTICE_DURATION = 12_000;

/** Says where a file went, and opens it; nothing where the dialog was cancelled. */
export function showSavedNotice(path: string | null, message?: string): void {
  if (path === null) return;
  notifications.show({
    message: <SavedFile path={path} message={message ?? i18next.t('common.savedTo', { path })} />,
    autoClose: NOTICE_DURATION,
    closeButtonProps: { 'aria-label': i18next.t('common.close') },
  });
}
