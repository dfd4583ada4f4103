import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';

import { faultText } from '@/base/engineTexts';
import { queryKeys } from '@/base/queryKeys';
import { showWarningNotice } from '@/components/notices/warningNotice';
import { type ForwardTarget, commands } from '@/ipc/bindings';

/** Interval for checking for stopped targets, in milliseconds. */
const POLL_INTERVAL = 10_000;

/**
 * Shows a notice for each target that is stopped until you act. If the window isn't focused, a desktop notification is sent too.
 */
export function useStoppedNotice(): void {
  const { t } = useTranslation();
  const { data } = useQuery({ queryKey: queryKeys.forwardTargets, queryFn: () => commands.forwardTargets(), refetchInterval: POLL_INTERVAL });
  const notifiedIds = useRef(new Set<number>());
  useEffect(() => {
    if (!data) return;
    const stopped = data.filter(({ state }) => state === 'stopped');
    const tell = ({ name, miss }: ForwardTarget) => {
      const title = t('forwarding.stoppedNotice', { name });
      const reason = miss ? faultText(miss.fault, miss.status) : '';
      showWarningNotice(`${title}. ${reason}`.trim());
      commands.notifyEnd(title, reason).catch(() => undefined);
    };
    stopped.filter(({ id }) => !notifiedIds.current.has(id)).forEach(tell);
    notifiedIds.current = new Set(stopped.map(({ id }) => id));
  }, [data, t]);
}
