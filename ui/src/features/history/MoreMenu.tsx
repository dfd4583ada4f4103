import { ActionIcon, Menu } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { IconDots } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { showProblemNotice } from '@/components/notices/problemNotice';
import { showSavedNotice } from '@/components/notices/savedNotice';
import { useImport } from '@/features/import-session';
import { useSubmission } from '@/features/submission';
import { commands } from '@/ipc/bindings';

/** What is seldom wanted of a submission. */
export function MoreMenu({ id }: { id: number }) {
  const { t } = useTranslation();
  const { submission } = useSubmission(id);
  const { runAgain } = useImport();
  const file = submission?.file ?? '';
  const give = useMutation({
    mutationFn: () => {
      const name = t('submission.saveName', { name: file.replace(/\.[^.]+$/u, '') });
      return commands.submissionSaveResults(id, t('history.pickSent', { file }), t('import.pickFilter'), t('submission.saveTitle'), name);
    },
    onSuccess: (saved) => showSavedNotice(saved?.path ?? null),
    onError: showProblemNotice,
  });
  const bundle = useMutation({
    mutationFn: () => commands.bundleSave([id], false, t('bundle.saveTitle'), t('bundle.saveName')),
    onSuccess: (path) => showSavedNotice(path),
    onError: showProblemNotice,
  });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label={t('history.more')} data-testid="history-more">
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => give.mutate()} disabled={!file} data-testid="history-return">
          {t('history.intoSent')}
        </Menu.Item>
        <Menu.Item onClick={() => submission && void runAgain(submission)} disabled={!file} data-testid="run-again">
          {t('decide.runAgain')}
        </Menu.Item>
        <Menu.Item onClick={() => bundle.mutate()} data-testid="history-bundle">
          {t('bundle.open')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
