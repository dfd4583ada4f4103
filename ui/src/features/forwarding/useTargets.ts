import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';

import { queryKeys } from '@/base/queryKeys';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { type ForwardTarget, commands } from '@/ipc/bindings';

/** Polling interval for targets, in milliseconds. */
const POLL_INTERVAL = 1000;

/** Polls the targets of a site. */
export function useTargets(site: string | undefined): ForwardTarget[] | undefined {
  const { data } = useQuery({ queryKey: queryKeys.forwardTargets, queryFn: () => commands.forwardTargets(), refetchInterval: POLL_INTERVAL });
  return data?.filter((target) => target.site === site);
}

/** Returns the events that a target refused. They are refetched when their number changes. */
export function useRefusedEvents({ id, aside }: ForwardTarget) {
  return useQuery({ queryKey: queryKeys.forwardEventsSetAside(id, aside), queryFn: () => commands.forwardAside(id), enabled: aside > 0 });
}

/** Returns an event's delivery state at each target. It is polled until all deliveries are done. */
export function useDeliveryStates(event: number) {
  return useQuery({
    queryKey: queryKeys.forwardedEvent(event),
    queryFn: () => commands.forwardEvent(event),
    gcTime: 0,
    refetchInterval: ({ state }) => (state.data?.some(({ stop }) => stop === 'waiting' || stop === 'again') ? POLL_INTERVAL : false),
  });
}

/** Runs an action on a target and refetches all targets. */
export function useTargetAction() {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: (act: () => Promise<unknown>) => act(),
    onError: showProblemNotice,
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.forwarding }),
  });
  return { act: mutate, busy: isPending };
}
