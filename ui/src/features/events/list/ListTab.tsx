import { useQuery } from '@tanstack/react-query';

import { useSite } from '@/base/appState';
import { toEventFilter } from '@/base/eventFilter';
import type { EventTabProps } from '@/base/navigation';
import { queryKeys } from '@/base/queryKeys';
import { commands } from '@/ipc/bindings';
import { EventList } from './EventList';

/** The site's events, newest first, with the last used filter. */
export function ListTab({ title, actions, place }: EventTabProps) {
  const site = useSite()?.site.name;
  const { data } = useQuery({ queryKey: queryKeys.eventFilter, queryFn: () => commands.eventLastQuery(), staleTime: Infinity });
  if (site === undefined || !data) return null;
  const { query } = place;
  const filter = toEventFilter(query ?? data);
  // A link with a query resets the list.
  return <EventList key={JSON.stringify(query ?? null)} site={site} first={filter} {...{ title, actions, place }} />;
}
