import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

import { useSite } from '@/base/appState';
import { queryKeys } from '@/base/queryKeys';
import { refetchQueries } from '@/base/refetch';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { type ReceiverSettings, type ReceiverView, commands, events } from '@/ipc/bindings';
import { listen } from '@/ipc/listen';

/** Interval for refetching the number of refused requests, in milliseconds. */
const POLL_INTERVAL = 3000;

/** Returns the state of the selected site's receiver, and keeps it up to date. */
export function useReceiver(): UseQueryResult<ReceiverView> {
  const client = useQueryClient();
  const site = useSite()?.site.name;
  useEffect(() => listen(events.receiverChanged, () => void refetchQueries(client, queryKeys.receivers)), [client]);
  return useQuery({
    queryKey: queryKeys.receiver(site),
    queryFn: () => commands.receiverView(site ?? ''),
    enabled: site !== undefined,
    refetchInterval: POLL_INTERVAL,
  });
}

export type ReceiverActions = {
  busy: boolean;
  start: () => void;
  stop: () => void;
  change: (settings: ReceiverSettings) => void;
  addSecret: (secret: string, onAdded: () => void) => void;
  removeSecret: (at: number) => void;
};

/** Returns functions that change the receiver. Errors are shown in a notice. */
export function useReceiverActions({ site }: ReceiverView): ReceiverActions {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: (act: () => Promise<unknown>) => act(),
    onError: showProblemNotice,
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.receivers }),
  });
  return {
    busy: isPending,
    start: () => mutate(() => commands.receiverStart(site)),
    stop: () => mutate(() => commands.receiverStop(site)),
    change: (settings) => mutate(() => commands.receiverChange(site, settings)),
    addSecret: (secret, then) => mutate(() => commands.receiverSecretAdd(site, secret), { onSuccess: then }),
    removeSecret: (at) => mutate(() => commands.receiverSecretRemove(site, at)),
  };
}
