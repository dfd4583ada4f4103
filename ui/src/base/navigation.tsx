import { type ReactNode, createContext, use, useMemo, useState } from 'react';

import type { EventQuery } from '@/ipc/bindings';

/** The entries of the navigation, by the kind of work. Each label is the locale key `pages.` plus the name. */
export const NAVIGATION_GROUPS = [
  { name: 'plan', entries: ['today', 'import', 'browse', 'floor'] },
  { name: 'trace', entries: ['events', 'history'] },
  { name: 'setUp', entries: ['templates', 'integrations', 'plant', 'settings'] },
] as const;
export type NavigationEntry = (typeof NAVIGATION_GROUPS)[number]['entries'][number];

export const NAVIGATION_ENTRIES: readonly NavigationEntry[] = NAVIGATION_GROUPS.flatMap((group) => group.entries);

/** Returns the place that a navigation entry opens. */
export function placeOf(entry: NavigationEntry): Place {
  return entry === 'floor' ? { page: 'events', tab: 'floor' } : { page: entry };
}

/** Returns the navigation entry that a place belongs to. */
export function entryOf(place: Place): NavigationEntry {
  if (place.page === 'events' && place.tab === 'floor') return 'floor';
  return place.page === 'order' ? 'browse' : place.page;
}

/** A list, opened with the filters `parameters` and the search text `find`. */
export type BrowsePlace = {
  page: 'browse';
  operation?: string | undefined;
  parameters?: { [name: string]: string } | undefined;
  find?: string | undefined;
};

/** The tabs of the events page, in order. Each label is the locale key `inbox.tabs.` plus the name. */
export const EVENT_TABS = ['list', 'answers'] as const;
/** A view of the events. The floor has its own entry in the navigation instead of a tab. */
export type EventTab = (typeof EVENT_TABS)[number] | 'floor';

/** The events page: a tab, the event that is open in the list, and the tab's filters. */
export type EventsPlace = {
  page: 'events';
  tab?: EventTab | undefined;
  event?: number | undefined;
  /** Filters for the list. Without them, the last used filters apply. */
  query?: Partial<EventQuery> | undefined;
  station?: string | undefined;
};

/** Properties that each tab passes to its page: the title and the tab switch. */
export type TabProps = { title: string; actions: ReactNode };

/** Tab properties with the place that the tab was opened with. */
export type EventTabProps = TabProps & { place: EventsPlace };

/** The tabs for other programs. Each label is the locale key `integrations.tabs.` plus the name. */
export const INTEGRATION_TABS = ['forward', 'graphql'] as const;
export type IntegrationTab = (typeof INTEGRATION_TABS)[number];
export type IntegrationsPlace = { page: 'integrations'; tab?: IntegrationTab | undefined };

/**
 * The settings. `contract` opens a site's contract, `addSite` the form for a new site, `about` the section about Takt, `section` the
 * section with this ID.
 */
export type SettingsPlace = { page: 'settings'; contract?: string | undefined; addSite?: boolean | undefined; about?: boolean | undefined; section?: string | undefined };

/** A location in the window: a page and the item open on it. */
export type Place =
  | { page: 'today' }
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
  /** Goes to the previous visited place. Undefined if there is none. */
  back: (() => void) | undefined;
  /** Goes to the next visited place after going back. Undefined if there is none. */
  forward: (() => void) | undefined;
};

/** The visited places. `at` is the index of the current one. */
type Visits = { places: readonly Place[]; at: number };

const MAX_VISITS = 100;

const HOME_PLACE: Place = { page: 'today' };

const NavigationContext = createContext<Navigation | null>(null);

type ProviderProps = {
  children: ReactNode;
  /** The place shown first, by default what is going on today. */
  initialPlace?: Place;
  /** Returns true if another window shows the place. Then this window keeps its place. */
  openElsewhere?: (place: Place) => boolean;
};

export function NavigationProvider({ children, initialPlace = HOME_PLACE, openElsewhere }: ProviderProps) {
  const [visits, setVisits] = useState<Visits>({ places: [initialPlace], at: 0 });
  const navigation = useMemo(() => {
    const { places, at } = visits;
    const place: Place = places[at] ?? HOME_PLACE;
    const step = (by: number) => (places[at + by] ? () => setVisits((before) => moveBy(before, by)) : undefined);
    const go = (next: Place) => {
      if (openElsewhere?.(next) !== true) setVisits((before) => addVisit(before, next));
    };
    return { place, go, back: step(-1), forward: step(1) };
  }, [visits, openElsewhere]);
  return <NavigationContext value={navigation}>{children}</NavigationContext>;
}

function moveBy({ places, at }: Visits, by: number): Visits {
  return { places, at: Math.min(Math.max(at + by, 0), places.length - 1) };
}

/** Adds a visit and drops the forward history. Visiting the current place again replaces it. */
function addVisit({ places, at }: Visits, next: Place): Visits {
  const before = places.slice(0, at + 1);
  const isSame = JSON.stringify(before.at(-1)) === JSON.stringify(next);
  // A reopened place resets its page, so it must be a new object.
  const nextPlaces = [...(isSame ? before.slice(0, -1) : before), next].slice(-MAX_VISITS);
  return { places: nextPlaces, at: nextPlaces.length - 1 };
}

export function useNavigation(): Navigation {
  const navigation = use(NavigationContext);
  if (!navigation) throw new Error('outside NavigationProvider');
  return navigation;
}
