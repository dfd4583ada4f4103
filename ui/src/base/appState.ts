import { type UseQueryResult, useQuery } from '@tanstack/react-query';

import { type AppState, type Operation, type SampleView, type SiteView, commands } from '@/ipc/bindings';
import { queryKeys } from './queryKeys';

export function useAppState(): UseQueryResult<AppState> {
  return useQuery({ queryKey: queryKeys.app, queryFn: () => commands.appState() });
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

const none: Operation[] = [];
const noSamples: SampleView[] = [];
