import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { showProblemNotice } from '@/components/notices/problemNotice';
import { showSavedNotice } from '@/components/notices/savedNotice';
import { type ExportFormat, type StoredAnswer, commands } from '@/ipc/bindings';

/** Takes the answer along: the list that a table shows, or all of it as JSON. */
export function AnswerExport({ answer, path }: { answer: StoredAnswer; path: string | null }) {
  const { t } = useTranslation();
  const save = (format: ExportFormat, of: string | null) =>
    void commands.graphqlExport(answer.id, of, format, t('graphql.saveFile')).then((saved) => showSavedNotice(saved), showProblemNotice);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          ml="auto"
          rightSection={<IconChevronDown size={14} aria-hidden />}
          data-testid="graphql-export"
        >
          {t('graphql.export')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item disabled={!path} onClick={() => save('xlsx', path)} data-testid="graphql-export-xlsx">
          {t('graphql.tableAs', { format: 'xlsx' })}
        </Menu.Item>
        <Menu.Item disabled={!path} onClick={() => save('csv', path)}>
          {t('graphql.tableAs', { format: 'csv' })}
        </Menu.Item>
        <Menu.Item disabled={!path} onClick={() => save('json', path)}>
          {t('graphql.tableAs', { format: 'JSON' })}
        </Menu.Item>
        <Menu.Item onClick={() => save('json', null)}>{t('graphql.wholeAnswer')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
