import { useEffect, useState, useSyncExternalStore } from 'react';

import { type EventFilter, toEventQuery, toFilterKey, isEmptyFilter } from '@/base/eventFilter';
import { events } from '@/ipc/bindings';
import { listen } from '@/ipc/listen';
import { EventFeed, type FeedState } from './eventFeed';

/** Returns the live feed of a site's matching events. */
export function useEventFeed(site: string, filter: EventFilter, looking: boolean): [EventFeed, FeedState] {
  const [feed] = useState(() => new EventFeed());
  const state = useSyncExternalStore(feed.subscribe, feed.now);
  const filterKey = toFilterKey(filter);
  useEffect(() => {
    const steadyFilter = fromText(filterKey);
    feed.startQuery(toEventQuery(steadyFilter, site, null), isEmptyFilter(steadyFilter));
  }, [feed, site, filterKey]);
  useEffect(() => feed.look(looking), [feed, looking]);
  useEffect(() => listen(events.eventsReceived, () => feed.onEvent()), [feed]);
  return [feed, state];
}

function fromText(text: string): EventFilter {
  return JSON.parse(text) as EventFilter;
}
