import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { useSite } from '@/base/appState';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { showSavedNotice } from '@/components/notices/savedNotice';
import { commands } from '@/ipc/bindings';
import type { Draft } from './useRules';

/** Rules as a file: for another computer, or to keep. */
export function FileButtons({ draft }: { draft: Draft }) {
  const { t } = useTranslation();
  const site = useSite()?.site.name ?? '';
  const save = () => {
    commands.rulesExport(draft.rules, t('answers.export'), t('answers.fileName', { site })).then((path) => showSavedNotice(path)).catch(showProblemNotice);
  };
  const read = () => {
    commands
      .rulesImport(t('answers.import'))
      .then((rules) => rules && draft.change(() => rules))
      .catch(showProblemNotice);
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label={t('answers.files')} data-testid="answers-files">
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={read}>{t('answers.import')}</Menu.Item>
        <Menu.Item onClick={save}>{t('answers.export')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
