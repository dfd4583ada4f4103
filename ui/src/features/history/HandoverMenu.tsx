import { Button, Menu } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { IconChevronDown } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { showProblemNotice } from '@/components/notices/problemNotice';
import { showSavedNotice } from '@/components/notices/savedNotice';
import { commands } from '@/ipc/bindings';

/** How far back a sheet may look, in hours: a shift, a long shift, a day, a week. */
const spans = [8, 12, 24, 168] as const;

/** The sheet for the next shift: who sent what, what it changed, and what is open. */
export function HandoverMenu() {
  const { t } = useTranslation();
  const save = useMutation({
    mutationFn: (hours: number) => {
      const since = new Date(Date.now() - hours * 3_600_000).toISOString();
      return commands.handoverSave(since, t('handover.saveTitle'), t('handover.saveName'));
    },
    onSuccess: (path) => showSavedNotice(path),
    onError: showProblemNotice,
  });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          rightSection={<IconChevronDown size={14} aria-hidden />}
          disabled={save.isPending}
          data-testid="handover"
        >
          {t('handover.open')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {spans.map((hours) => (
          <Menu.Item key={hours} onClick={() => save.mutate(hours)} data-testid={`handover-${hours}`}>
            {t(`handover.last.${hours}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
