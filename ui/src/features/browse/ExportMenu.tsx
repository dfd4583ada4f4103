import { Button, Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { IconChevronDown } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { tellProblem } from '../../components/tellProblem';
import { type ExportFormat, commands } from '../../ipc/bindings';

type Props = { set: number | null; whole: boolean };

/** Takes the rows along: this page, or everything where everything was read. */
export function ExportMenu({ set, whole }: Props) {
  const { t } = useTranslation();
  const save = useMutation({
    mutationFn: async (format: ExportFormat) => (set === null ? null : commands.browseExport(set, format, t('browse.saveTitle'))),
    onSuccess: (path) => {
      if (path) notifications.show({ message: t('common.savedTo', { path }), closeButtonProps: { 'aria-label': t('common.close') } });
    },
    onError: tellProblem,
  });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          rightSection={<IconChevronDown size={14} aria-hidden />}
          disabled={set === null || save.isPending}
          data-testid="browse-export"
        >
          {t(whole ? 'browse.exportAll' : 'browse.exportPage')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => save.mutate('xlsx')} data-testid="export-xlsx">
          {t('browse.xlsx')}
        </Menu.Item>
        <Menu.Item onClick={() => save.mutate('csv')} data-testid="export-csv">
          {t('browse.csv')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
