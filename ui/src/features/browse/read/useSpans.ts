import { useQuery } from '@tanstack/react-query';

import { useSite } from '@/base/appState';
import { queryKeys } from '@/base/queryKeys';
import { type NamedSpan, commands } from '@/ipc/bindings';

/** The spans of time that have a name now at the site; they move on by themselves. */
export function useSpans(enabled: boolean): NamedSpan[] {
  const site = useSite();
  const { data } = useQuery({
    queryKey: queryKeys.listSpans(site?.site.name),
    queryFn: () => commands.readSpans(),
    enabled: enabled,
    staleTime: 30_000,
    refetchInterval: 60_000,
  });
  return data ?? none;
}

const none: NamedSpan[] = [];
