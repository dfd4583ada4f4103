import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';

import { tellProblem } from '../../components/tellProblem';
import { type ForwardTarget, commands } from '../../ipc/bindings';

const key = ['forwarding'] as const;

/** How often it is looked at how targets are doing, in milliseconds. */
const often = 1000;

/** The targets of a site, looked at again and again. */
export function useTargets(site: string | undefined): ForwardTarget[] | undefined {
  const { data } = useQuery({ queryKey: [...key, 'targets'], queryFn: () => commands.forwardTargets(), refetchInterval: often });
  return data?.filter((target) => target.site === site);
}

/** What a target refused and is set aside; asked again whenever their number changes. */
export function useAside({ id, aside }: ForwardTarget) {
  return useQuery({ queryKey: [...key, 'aside', id, aside], queryFn: () => commands.forwardAside(id), enabled: aside > 0 });
}

/** What became of an event at each target; asked again while it is on its way. */
export function useForwarded(event: number) {
  return useQuery({
    queryKey: [...key, 'event', event],
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
    onError: tellProblem,
    onSettled: () => client.invalidateQueries({ queryKey: key }),
  });
  return { act: mutate, busy: isPending };
}
