import { type UseQueryResult, useQuery } from '@tanstack/react-query';

import { type AppState, type Operation, type SampleView, type SiteView, commands } from '../ipc/bindings';

export const keys = {
  app: ['app'],
  operations: ['operations'],
  samples: ['samples'],
  submissions: ['submissions'],
  submission: (id: number) => ['submission', id],
  remembered: ['remembered'],
  plant: ['plant'],
} as const;

export function useAppState(): UseQueryResult<AppState> {
  return useQuery({ queryKey: keys.app, queryFn: () => commands.appState() });
}

/** The site that everything is sent to and read from. */
export function useSite(): SiteView | undefined {
  const { data } = useAppState();
  return data?.sites.find((site) => site.chosen) ?? data?.sites[0];
}

export function useOperations(): Operation[] {
  const { data } = useQuery({
    queryKey: keys.operations,
    queryFn: () => commands.operations(),
    staleTime: Infinity,
  });
  return data ?? none;
}

export function useSamples(): SampleView[] {
  const { data } = useQuery({ queryKey: keys.samples, queryFn: () => commands.samples(), staleTime: Infinity });
  return data ?? noSamples;
}

const none: Operation[] = [];
const noSamples: SampleView[] = [];
