import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';

import { queryKeys } from '@/base/queryKeys';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { type ForwardTarget, commands } from '@/ipc/bindings';

/** How often it is looked at how targets are doing, in milliseconds. */
const often = 1000;

/** The targets of a site, looked at again and again. */
export function useTargets(site: string | undefined): ForwardTarget[] | undefined {
  const { data } = useQuery({ queryKey: queryKeys.forwardTargets, queryFn: () => commands.forwardTargets(), refetchInterval: often });
  return data?.filter((target) => target.site === site);
}

/** What a target refused and is set aside; asked again whenever their number changes. */
export function useAside({ id, aside }: ForwardTarget) {
  return useQuery({ queryKey: queryKeys.forwardAside(id, aside), queryFn: () => commands.forwardAside(id), enabled: aside > 0 });
}

/** What became of an event at each target; asked again while it is on its way. */
export function useForwarded(event: number) {
  return useQuery({
    queryKey: queryKeys.forwardedEvent(event),
    queryFn: () => commands.forwardEvent(event),
    gcTime: 0,
    refetchInterval: ({ state }) => (state.data?.some(({ stop }) => stop === 'waiting' || stop === 'again') ? often : false),
  });
}

/** Does something with a target and looks at all again. */
export function useAct() {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: (act: () => Promise<unknown>) => act(),
    onError: showProblemNotice,
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.forwarding }),
  });
  return { act: mutate, busy: isPending };
}
