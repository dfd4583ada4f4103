import { Button, Menu } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { IconChevronDown } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { useOperations } from '@/base/appState';
import { usePreferences } from '@/base/preferences';
import { useFormats } from '@/base/useFormats';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { showSavedNotice } from '@/components/notices/savedNotice';
import { commands } from '@/ipc/bindings';

/** A blank workbook to fill in, for any operation that takes rows. */
export function BlankMenu() {
  const { t } = useTranslation();
  const { name } = useFormats();
  const { language } = usePreferences();
  const operations = useOperations();
  const save = useMutation({
    mutationFn: (operation: string) => commands.blankSave(operation, language, t('blank.saveTitle')),
    onSuccess: (path) => showSavedNotice(path),
    onError: showProblemNotice,
  });
  const fillable = operations.filter((one) => one.request !== null && (one.kind === 'sync' || one.kind === 'delete'));
  if (fillable.length === 0) return null;
  return (
    <Menu position="bottom">
      <Menu.Target>
        <Button
          variant="subtle"
          size="xs"
          rightSection={<IconChevronDown size={14} aria-hidden />}
          disabled={save.isPending}
          data-testid="blank-menu"
        >
          {t('blank.menu')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {fillable.map((one) => (
          <Menu.Item key={one.id} onClick={() => save.mutate(one.id)} data-testid={`blank-${one.id}`}>
            {name(one)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
