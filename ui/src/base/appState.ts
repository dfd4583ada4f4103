import { type UseQueryResult, useQuery } from '@tanstack/react-query';

import { type AppState, type Operation, type SampleView, type SiteView, type UpdateView, commands } from '@/ipc/bindings';
import { usePreferences } from './preferences';
import { queryKeys } from './queryKeys';

/** Without it a window shows nothing, so it is read again until it can be: a team's database may be away. */
const RETRY_INTERVAL = 2000;

export function useAppState(): UseQueryResult<AppState> {
  return useQuery({
    queryKey: queryKeys.app,
    queryFn: () => commands.appState(),
    refetchInterval: ({ state }) => (state.status === 'error' ? RETRY_INTERVAL : false),
  });
}

/** The site that everything is sent to and read from. */
export function useSite(): SiteView | undefined {
  const { data } = useAppState();
  return data?.sites.find((site) => site.chosen) ?? data?.sites[0];
}

/** As the contract in force at the chosen site has them. */
export function useOperations(): Operation[] {
  const site = useSite()?.site.name;
  const { data } = useQuery({
    queryKey: queryKeys.operations(site),
    queryFn: () => commands.operations(),
    staleTime: Infinity,
  });
  return data ?? none;
}

export function useSamples(): SampleView[] {
  const { data } = useQuery({ queryKey: queryKeys.samples, queryFn: () => commands.samples(), staleTime: Infinity });
  return data ?? noSamples;
}

/** Whether there is a newer Takt, as far as anybody asked. */
export function useUpdate(): UseQueryResult<UpdateView> {
  const { language } = usePreferences();
  return useQuery({ queryKey: queryKeys.update(language), queryFn: () => commands.updateView(language) });
}

const none: Operation[] = [];
const noSamples: SampleView[] = [];
