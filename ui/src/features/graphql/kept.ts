import { queryOptions } from '@tanstack/react-query';

import { client } from '../../app/client';
import { type SavedQuery, commands } from '../../ipc/bindings';

const key = (site: string) => ['graphql', site, 'kept'] as const;

/** What was typed on a site: open tabs, saved queries, history. */
export function keptQuery(site: string) {
  return queryOptions({ queryKey: key(site), queryFn: () => commands.graphqlKept(), staleTime: Infinity, gcTime: 0 });
}

/** A query was run, or something was forgotten. */
export function keptChanged(site: string): void {
  void client.invalidateQueries({ queryKey: key(site) });
}

export function setSaved(site: string, saved: SavedQuery[]): void {
  client.setQueryData(keptQuery(site).queryKey, (kept) => (kept ? { ...kept, saved } : kept));
}
