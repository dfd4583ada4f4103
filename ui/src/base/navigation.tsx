import { type ReactNode, createContext, use, useMemo, useState } from 'react';

import type { EventQuery } from '@/ipc/bindings';

export const pages = ['import', 'browse', 'events', 'templates', 'integrations', 'history', 'plant', 'settings'] as const;
export type Page = (typeof pages)[number];

/** A list; with `parameters` it opens with those filters, set and read, with `find` it looks for that text in its rows. */
export type BrowsePlace = {
  page: 'browse';
  operation?: string | undefined;
  parameters?: { [name: string]: string } | undefined;
  find?: string | undefined;
};

/** The tabs of what the service told, in their order; each is called `inbox.tabs.` and its name. */
export const eventTabs = ['list', 'floor', 'answers'] as const;
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

/** What a tab makes its own page of: the title, and the switch between the tabs. */
export type TabProps = { title: string; actions: ReactNode };

/** The same, with what the tab was opened with. */
export type EventTabProps = TabProps & { place: EventsPlace };

/** Other programs beside Takt; each tab is called `integrations.tabs.` and its name. */
export const integrationTabs = ['forward', 'graphql'] as const;
export type IntegrationTab = (typeof integrationTabs)[number];
export type IntegrationsPlace = { page: 'integrations'; tab?: IntegrationTab | undefined };

/**
 * The settings; with `contract` a site's own contract, with `addSite` at the form for another site, with `about` at what
 * Takt is.
 */
export type SettingsPlace = { page: 'settings'; contract?: string | undefined; addSite?: boolean | undefined; about?: boolean | undefined };

/** Where the window stands: a page, and what is open on it. */
export type Place =
  | { page: 'import' }
  | BrowsePlace
  | { page: 'order'; code: string }
  | EventsPlace
  | { page: 'templates' }
  | IntegrationsPlace
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

const home: Place = { page: 'import' };

const NavigationContext = createContext<Navigation | null>(null);

type ProviderProps = {
  children: ReactNode;
  /** Where the window begins. */
  first?: Place;
  /** True for a place that isn't shown in this window, and is shown elsewhere. */
  leave?: (place: Place) => boolean;
};

export function NavigationProvider({ children, first = home, leave }: ProviderProps) {
  const [visits, setVisits] = useState<Visits>({ places: [first], at: 0 });
  const navigation = useMemo(() => {
    const { places, at } = visits;
    const place: Place = places[at] ?? home;
    const step = (by: number) => (places[at + by] ? () => setVisits((before) => moved(before, by)) : undefined);
    const go = (next: Place) => {
      if (leave?.(next) !== true) setVisits((before) => visited(before, next));
    };
    return { place, go, back: step(-1), forward: step(1) };
  }, [visits, leave]);
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
