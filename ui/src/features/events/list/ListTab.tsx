import { useQuery } from '@tanstack/react-query';

import { useSite } from '@/base/appState';
import { toEventFilter } from '@/base/eventFilter';
import type { EventTabProps } from '@/base/navigation';
import { queryKeys } from '@/base/queryKeys';
import { commands } from '@/ipc/bindings';
import { EventList } from './EventList';

/** Every event of the site, newest first; what was looked for last is remembered. */
export function ListTab({ title, actions, place }: EventTabProps) {
  const site = useSite()?.site.name;
  const { data } = useQuery({ queryKey: queryKeys.eventFilter, queryFn: () => commands.eventLastQuery(), staleTime: Infinity });
  if (site === undefined || !data) return null;
  const { query } = place;
  const filter = toEventFilter(query ?? data);
  // A list that a person was sent to begins anew.
  return <EventList key={JSON.stringify(query ?? null)} site={site} first={filter} {...{ title, actions, place }} />;
}
