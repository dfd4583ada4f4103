import { ActionIcon, Popover, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconBell, IconBellFilled } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { queryKeys } from '@/base/queryKeys';
import { commands } from '@/ipc/bindings';
import { NoticeRules } from './NoticeRules';
import styles from './receiver.module.css';

/** Notifications on the desktop: whether there are any, and of what. */
export function NoticesButton() {
  const { t } = useTranslation();
  const { data } = useQuery({ queryKey: queryKeys.notices, queryFn: () => commands.notices() });
  if (!data) return null;
  const Bell = data.on ? IconBellFilled : IconBell;
  const label = data.on ? t('notices.on') : t('notices.off');
  return (
    <Popover position="bottom-end" width={440} trapFocus shadow="md">
      <Popover.Target>
        <Tooltip label={label}>
          <ActionIcon variant="default" size={30} aria-label={label} data-testid="notices">
            <Bell size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('notices.title')}>
        <h2 className={styles.title}>{t('notices.title')}</h2>
        <div className={styles.scroll}>
          <NoticeRules notices={data} />
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
