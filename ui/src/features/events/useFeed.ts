import { useEffect, useState, useSyncExternalStore } from 'react';

import { events } from '../../ipc/bindings';
import { listen } from '../../ipc/listen';
import { EventFeed, type FeedState } from './feed';
import { type Wanted, asQuery, asText, isAnything } from './query';

/** A site's events that fit, as they come. */
export function useFeed(site: string, wanted: Wanted, looking: boolean): [EventFeed, FeedState] {
  const [feed] = useState(() => new EventFeed());
  const state = useSyncExternalStore(feed.subscribe, feed.now);
  const asked = asText(wanted);
  useEffect(() => {
    const looked = fromText(asked);
    feed.ask(asQuery(looked, site, null), isAnything(looked));
  }, [feed, site, asked]);
  useEffect(() => feed.look(looking), [feed, looking]);
  useEffect(() => listen(events.eventsCame, () => feed.hear()), [feed]);
  return [feed, state];
}

function fromText(text: string): Wanted {
  return JSON.parse(text) as Wanted;
}
