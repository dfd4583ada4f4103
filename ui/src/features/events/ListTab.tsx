import { useQuery } from '@tanstack/react-query';

import { useSite } from '../../app/state';
import { commands } from '../../ipc/bindings';
import { EventList } from './EventList';
import { asWanted } from './query';
import type { TabProps } from './tabs';

/** Every event of the site, newest first; what was looked for last is remembered. */
export function ListTab({ title, actions, place }: TabProps) {
  const site = useSite()?.site.name;
  const { data } = useQuery({ queryKey: ['events', 'looked-for'], queryFn: () => commands.eventLookedFor(), staleTime: Infinity });
  if (site === undefined || !data) return null;
  const { query } = place;
  const wanted = asWanted(query ?? data);
  // A list that a person was sent to begins anew.
  return <EventList key={JSON.stringify(query ?? null)} site={site} first={wanted} {...{ title, actions, place }} />;
}
