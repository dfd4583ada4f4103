import { queryOptions } from '@tanstack/react-query';

import { queryClient } from '@/base/queryClient';
import { queryKeys } from '@/base/queryKeys';
import { type SavedQuery, commands } from '@/ipc/bindings';

/** Returns the query for a site's stored state: open tabs, saved queries and history. */
export function storedQueriesQuery(site: string) {
  return queryOptions({ queryKey: queryKeys.graphqlQueries(site), queryFn: () => commands.graphqlState(), staleTime: Infinity, gcTime: 0 });
}

/** Invalidates the stored state after a query ran or the history was deleted. */
export function invalidateStoredQueries(site: string): void {
  void queryClient.invalidateQueries({ queryKey: queryKeys.graphqlQueries(site) });
}

export function setSaved(site: string, saved: SavedQuery[]): void {
  queryClient.setQueryData(storedQueriesQuery(site).queryKey, (state) => (state ? { ...state, saved } : state));
}
