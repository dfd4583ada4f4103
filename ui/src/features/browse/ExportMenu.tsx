import { Button, Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { IconChevronDown } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { tellProblem } from '../../components/tellProblem';
import { type ExportFormat, type Value as JsonValue, type Operation, commands } from '../../ipc/bindings';
import type { Row } from './cells';

type Props = { operation: Operation; rows: Row[]; set: number | null };

/** Takes the rows along: this page, or everything where everything was read. */
export function ExportMenu({ operation, rows, set }: Props) {
  const { t } = useTranslation();
  const save = useMutation({
    mutationFn: (format: ExportFormat) => {
      const title = t('browse.saveTitle');
      if (set !== null) return commands.browseExportAll(set, format, title);
      return commands.browseExportPage(operation.id, rows as JsonValue[], format, title);
    },
    onSuccess: (path) => {
      if (path) notifications.show({ message: t('common.savedTo', { path }), closeButtonProps: { 'aria-label': t('common.close') } });
    },
    onError: tellProblem,
  });
  const empty = set === null && rows.length === 0;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          rightSection={<IconChevronDown size={14} aria-hidden />}
          disabled={empty || save.isPending}
          data-testid="browse-export"
        >
          {t(set === null ? 'browse.exportPage' : 'browse.exportAll')}
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
