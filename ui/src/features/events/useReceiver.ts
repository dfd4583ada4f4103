import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

import { useSite } from '../../app/state';
import { tellProblem } from '../../components/tellProblem';
import { type ReceiverView, type Wish, commands, events } from '../../ipc/bindings';
import { listen } from '../../ipc/listen';
import { readAgain } from '../../ipc/readAgain';

/** What was refused is counted meanwhile. Milliseconds. */
const again = 3000;

/** The chosen site's receiver as it stands, and stays known. */
export function useReceiver(): UseQueryResult<ReceiverView> {
  const client = useQueryClient();
  const site = useSite()?.site.name;
  useEffect(() => listen(events.receiverChanged, () => void readAgain(client, ['receiver'])), [client]);
  return useQuery({
    queryKey: ['receiver', site],
    queryFn: () => commands.receiverView(site ?? ''),
    enabled: site !== undefined,
    refetchInterval: again,
  });
}

export type ReceiverActs = {
  busy: boolean;
  start: () => void;
  stop: () => void;
  change: (wish: Wish) => void;
  addSecret: (secret: string, then: () => void) => void;
  removeSecret: (at: number) => void;
};

/** What can be done with a receiver; what goes wrong is said. */
export function useReceiverActs({ site }: ReceiverView): ReceiverActs {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: (act: () => Promise<unknown>) => act(),
    onError: tellProblem,
    onSettled: () => client.invalidateQueries({ queryKey: ['receiver'] }),
  });
  return {
    busy: isPending,
    start: () => mutate(() => commands.receiverStart(site)),
    stop: () => mutate(() => commands.receiverStop(site)),
    change: (wish) => mutate(() => commands.receiverChange(site, wish)),
    addSecret: (secret, then) => mutate(() => commands.receiverSecretAdd(site, secret), { onSuccess: then }),
    removeSecret: (at) => mutate(() => commands.receiverSecretRemove(site, at)),
  };
}
