import { Switch } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { queryKeys } from '@/base/queryKeys';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { commands } from '@/ipc/bindings';
import { useTray } from './useTray';

/** Whether closing the window leaves Takt in the tray; offered only where the desktop has one. */
export function TraySwitch() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { data } = useTray();
  const { mutate, isPending } = useMutation({
    mutationFn: (enabled: boolean) => commands.trayEnable(enabled),
    onError: showProblemNotice,
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.tray }),
  });
  if (!data?.offered) return null;
  return (
    <Switch
      label={t('tray.keep')}
      description={t('tray.keepHint')}
      checked={data.enabled}
      disabled={isPending}
      onChange={(event) => mutate(event.currentTarget.checked)}
      data-testid="tray-keep"
    />
  );
}
