import { type ReactNode, createContext, use, useCallback, useMemo, useState } from 'react';

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

type Navigation = { place: Place; go: (place: Place) => void };

const NavigationContext = createContext<Navigation | null>(null);

export function NavigationProvider({ children }: { children: ReactNode }) {
  const [place, setPlace] = useState<Place>({ page: 'import' });
  const go = useCallback((next: Place) => setPlace(next), []);
  const navigation = useMemo(() => ({ place, go }), [place, go]);
  return <NavigationContext value={navigation}>{children}</NavigationContext>;
}

export function useNavigation(): Navigation {
  const navigation = use(NavigationContext);
  if (!navigation) throw new Error('outside NavigationProvider');
  return navigation;
}
