import { type UseQueryResult, useQuery } from '@tanstack/react-query';

import { type AppView, type Operation, type SampleView, type SiteView, type UpdateView, commands } from '@/ipc/bindings';
import { usePreferences } from './preferences';
import { queryKeys } from './queryKeys';

/**
 * Interval for retrying the app state, in milliseconds. The window can't render without the app state, and a team's database may
 * be offline.
 */
const RETRY_INTERVAL = 2000;

export function useAppState(): UseQueryResult<AppView> {
  return useQuery({
    queryKey: queryKeys.app,
    queryFn: () => commands.appState(),
    refetchInterval: ({ state }) => (state.status === 'error' ? RETRY_INTERVAL : false),
  });
}

/** Returns the selected site, or the first site if none is selected. Undefined while the app state is loading. */
export function useSite(): SiteView | undefined {
  const { data } = useAppState();
  return data?.sites.find((site) => site.chosen) ?? data?.sites[0];
}

/** Returns the operations of the contract in force at the selected site. */
export function useOperations(): Operation[] {
  const site = useSite()?.site.name;
  const { data } = useQuery({
    queryKey: queryKeys.operations(site),
    queryFn: () => commands.operations(),
    staleTime: Infinity,
  });
  return data ?? NO_OPERATIONS;
}

export function useSamples(): SampleView[] {
  const { data } = useQuery({ queryKey: queryKeys.samples, queryFn: () => commands.samples(), staleTime: Infinity });
  return data ?? NO_SAMPLES;
}

/** Returns the last known result of the update check. */
export function useUpdate(): UseQueryResult<UpdateView> {
  const { language } = usePreferences();
  return useQuery({ queryKey: queryKeys.update(language), queryFn: () => commands.updateView(language) });
}

const NO_OPERATIONS: Operation[] = [];
const NO_SAMPLES: SampleView[] = [];
