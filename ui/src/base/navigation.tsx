import { type ReactNode, createContext, use, useMemo, useState } from 'react';

import type { EventQuery } from '@/ipc/bindings';

export const pages = ['import', 'browse', 'events', 'templates', 'graphql', 'history', 'plant', 'settings'] as const;
export type Page = (typeof pages)[number];

/** A list; with `parameters` it opens with those filters, set and read, with `find` it looks for that text in its rows. */
export type BrowsePlace = {
  page: 'browse';
  operation?: string | undefined;
  parameters?: { [name: string]: string } | undefined;
  find?: string | undefined;
};

/** The tabs of what the service told, in their order; each is called `inbox.tabs.` and its name. */
export const eventTabs = ['list', 'floor', 'forward', 'answers'] as const;
export type EventTab = (typeof eventTabs)[number];

/** What the service told: a tab, an event that is open in the list, and what the tab is narrowed to. */
export type EventsPlace = {
  page: 'events';
  tab?: EventTab | undefined;
  event?: number | undefined;
  /** The list opens with this instead of what was looked for last. */
  query?: Partial<EventQuery> | undefined;
  station?: string | undefined;
};

/** What such a tab makes its own page of: the title, the switch between the tabs, and what it was opened with. */
export type EventTabProps = { title: string; actions: ReactNode; place: EventsPlace };

/** The settings; with `contract` a site's own contract. */
export type SettingsPlace = { page: 'settings'; contract?: string | undefined };

/** Where the window stands: a page, and what is open on it. */
export type Place =
  | { page: 'import' }
  | BrowsePlace
  | { page: 'order'; code: string }
  | EventsPlace
  | { page: 'templates' }
  | { page: 'graphql' }
  | { page: 'history'; submission?: number | undefined }
  | { page: 'plant' }
  | SettingsPlace;

type Navigation = {
  place: Place;
  go: (place: Place) => void;
  /** To where the window stood before, and back again; absent where there is nothing. */
  back: (() => void) | undefined;
  forward: (() => void) | undefined;
};

/** The places where the window stood; `at` is where it stands. */
type Visits = { places: readonly Place[]; at: number };

const mostVisits = 100;

const NavigationContext = createContext<Navigation | null>(null);

export function NavigationProvider({ children }: { children: ReactNode }) {
  const [visits, setVisits] = useState<Visits>({ places: [{ page: 'import' }], at: 0 });
  const navigation = useMemo(() => {
    const { places, at } = visits;
    const place: Place = places[at] ?? { page: 'import' };
    const step = (by: number) => (places[at + by] ? () => setVisits((before) => moved(before, by)) : undefined);
    return { place, go: (next: Place) => setVisits((before) => visited(before, next)), back: step(-1), forward: step(1) };
  }, [visits]);
  return <NavigationContext value={navigation}>{children}</NavigationContext>;
}

function moved({ places, at }: Visits, by: number): Visits {
  return { places, at: Math.min(Math.max(at + by, 0), places.length - 1) };
}

/** The same place twice in a row is one visit; what lay ahead is forgotten. */
function visited({ places, at }: Visits, next: Place): Visits {
  const before = places.slice(0, at + 1);
  const isSame = JSON.stringify(before.at(-1)) === JSON.stringify(next);
  // A place that is opened again begins anew, so it is a new object all the same.
  const kept = [...(isSame ? before.slice(0, -1) : before), next].slice(-mostVisits);
  return { places: kept, at: kept.length - 1 };
}

export function useNavigation(): Navigation {
  const navigation = use(NavigationContext);
  if (!navigation) throw new Error('outside NavigationProvider');
  return navigation;
}
