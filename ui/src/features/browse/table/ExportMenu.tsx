import { Button, Menu } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { IconDownload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { showProblemNotice } from '@/components/notices/problemNotice';
import { showSavedNotice } from '@/components/notices/savedNotice';
import { type ExportFormat, type ExportRequest, commands } from '@/ipc/bindings';
import type { TableColumn } from './columns';
import { shownColumns } from './tableLook';
import type { Table } from './useTable';

type Props = {
  set: number | null;
  table: Table;
  columns: readonly TableColumn[];
  positions: number[];
  whole: boolean;
  copy: () => void;
  print: () => void;
};

const EXPORT_FORMATS = ['xlsx', 'csv', 'json'] as const satisfies readonly ExportFormat[];
const AS_READ: ExportRequest['arrangement'] = { sort: [], filters: [], find: '' };

/** Copies, prints or exports the visible, ticked or all rows. */
export function ExportMenu({ set, table, columns, positions, whole, copy, print }: Props) {
  const { t } = useTranslation();
  const save = useMutation({
    mutationFn: async (request: ExportRequest) => (set === null ? null : commands.browseExport(set, request, t('browse.saveTitle'))),
    onSuccess: (path) => showSavedNotice(path),
    onError: showProblemNotice,
  });
  const isShown = (format: ExportFormat) =>
    save.mutate({ format, columns: shownColumns(columns, table.view.columns).map(({ path }) => path), arrangement: table.arrangement, positions });
  const everything = (format: ExportFormat) => save.mutate({ format, columns: [], arrangement: AS_READ, positions: [] });
  const ticked = positions.length > 0;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" size="xs" leftSection={<IconDownload size={14} aria-hidden />} disabled={set === null || save.isPending} data-testid="browse-export">
          {t('table.export')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={copy} rightSection={ticked && <kbd>{t('table.copyKey')}</kbd>} data-testid="table-copy">
          {t(ticked ? 'table.copyTicked' : 'table.copyShown')}
        </Menu.Item>
        <Menu.Item onClick={print} data-testid="table-print">
          {t(ticked ? 'table.printTicked' : 'table.printShown')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{t(ticked ? 'table.exportTicked' : 'table.exportShown')}</Menu.Label>
        {EXPORT_FORMATS.map((format) => (
          <Menu.Item key={format} onClick={() => isShown(format)} data-testid={`export-${format}`}>
            {t(`table.as.${format}`)}
          </Menu.Item>
        ))}
        <Menu.Label>{t(whole ? 'table.exportAll' : 'table.exportPage')}</Menu.Label>
        {EXPORT_FORMATS.map((format) => (
          <Menu.Item key={format} onClick={() => everything(format)} data-testid={`export-all-${format}`}>
            {t(`table.as.${format}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
