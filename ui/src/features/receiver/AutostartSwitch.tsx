import { Switch } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { queryKeys } from '@/base/queryKeys';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { commands } from '@/ipc/bindings';

/** Whether the system starts Takt when its person signs in. */
export function AutostartSwitch() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { data } = useQuery({ queryKey: queryKeys.autostart, queryFn: () => commands.autostartEnabled() });
  const { mutate, isPending } = useMutation({
    mutationFn: (enabled: boolean) => commands.autostartEnable(enabled),
    onError: showProblemNotice,
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.autostart }),
  });
  if (data === undefined) return null;
  return (
    <Switch
      label={t('autostart.enable')}
      description={t('autostart.hint')}
      checked={data}
      disabled={isPending}
      onChange={(event) => mutate(event.currentTarget.checked)}
      data-testid="autostart"
    />
  );
}
