import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, type SpotlightActionData, type SpotlightActionGroupData } from '@mantine/spotlight';
import type { TFunction } from 'i18next';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery, useQueryClient } from '@tanstack/react-query';

import { useAppState, useOperations, useSamples, useSite } from '@/base/appState';
import { listByCode } from '@/base/links/valueLinks';
import { EVENT_TABS, INTEGRATION_TABS, NAVIGATION_ENTRIES, placeOf, useNavigation } from '@/base/navigation';
import { THEMES, usePreferences } from '@/base/preferences';
import { operationName, useFormats } from '@/base/useFormats';
import { useSiteName } from '@/components/marks/SiteName';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { useHelp } from '@/features/help';
import { useImport } from '@/features/import-session';
import { SETTINGS_SECTIONS } from '@/features/settings';
import { useSignIn } from '@/features/sign-in';
import { startTour } from '@/features/welcome';
import { commands, type Operation } from '@/ipc/bindings';
import { queryKeys } from '@/base/queryKeys';
import { openWindow } from '@/components/window/openWindow';
import { nextTicket } from '@/ipc/tickets';

/** Actions that open the floor, or the current list, in a separate window. */
function useWindowActions(operations: readonly Operation[]): SpotlightActionData[] {
  const { t } = useTranslation();
  const { name } = useFormats();
  const { place } = useNavigation();
  const site = useSite()?.site.name;
  const queries = useQueryClient();
  return useMemo(() => {
    const floor = {
      id: 'window-floor',
      label: t('window.openPage', { page: t('pages.floor') }),
      onClick: () => void openWindow({ kind: 'floor', station: null }),
    };
    if (place.page !== 'browse') return [floor];
    const currentList = place.operation ?? queries.getQueryData<string | null>(queryKeys.lastList(site));
    const operation = operations.find(({ id }) => id === currentList);
    if (!operation) return [floor];
    const list = {
      id: 'window-list',
      label: t('window.openPage', { page: name(operation) }),
      onClick: () => void openWindow({ kind: 'list', operation: operation.id, parameters: place.parameters ?? null, find: place.find ?? '' }),
    };
    return [floor, list];
  }, [t, name, place, site, queries, operations]);
}

const ACTIONS_SELECTOR = '.mantine-Spotlight-actionsList [data-action]';

/**
 * Selects the first order match if it arrives after the palette selected its first entry. If Enter was pressed meanwhile, the
 * match is opened.
 */
function useOpenLateMatch(query: string, found: readonly SpotlightActionGroupData[]): (event: KeyboardEvent<HTMLInputElement>) => void {
  const awaitedQuery = useRef<string | null>(null);
  const hasMatch = found.some((group) => group.actions.length > 0);
  useEffect(() => {
    if (!hasMatch) return;
    const lines = [...document.querySelectorAll<HTMLElement>(ACTIONS_SELECTOR)];
    const [first] = lines;
    if (first && !lines.some((line) => 'selected' in line.dataset)) first.dataset['selected'] = 'true';
    const isAwaited = awaitedQuery.current === query;
    awaitedQuery.current = null;
    if (isAwaited) first?.click();
  }, [hasMatch, query]);
  return (event) => {
    if (event.key === 'Enter' && document.querySelector(ACTIONS_SELECTOR) === null) awaitedQuery.current = query;
  };
}

const EDITOR_TAGS = ['TEXTAREA'];
/** The first tab is excluded, because the action for the events page opens it. */
const [, ...otherTabs] = EVENT_TABS;

/** Debounce for the order lookup, in milliseconds. */
const SEARCH_DELAY = 250;

type OrderSearch = {
  /** Recently opened orders. */
  recent: SpotlightActionGroupData[];
  /** The typed code, if the site has an order with this code or the lookup failed. */
  found: SpotlightActionGroupData[];
  /** The text shown if no action matches. */
  emptyText: string;
};

/** Finds orders by code: recent orders, and the typed code if the site has it. */
function useOrderSearch(query: string): OrderSearch {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const { name } = useFormats();
  const site = useSite();
  const list = listByCode(useOperations());
  const typed = query.trim();
  const isCode = /^\S*\d\S*$/u.test(typed);
  const [code] = useDebouncedValue(typed, SEARCH_DELAY);
  const isSignedIn = site?.signedIn === true;
  const { data: exists, isError } = useQuery({
    queryKey: queryKeys.orderExists(code, site?.site.name),
    queryFn: ({ signal }) => {
      const ticket = nextTicket();
      signal.addEventListener('abort', () => void commands.ticketStop(ticket).catch(() => undefined));
      return commands.orderExists(code, ticket);
    },
    enabled: isSignedIn && isCode && code === typed,
    staleTime: 30_000,
    retry: false,
  });
  const { data: visited = [] } = useQuery({ queryKey: queryKeys.recentOrders(site?.site.name), queryFn: () => commands.ordersRecent(), enabled: site !== undefined, retry: false });
  // Without a sign-in or after an error, the order is offered anyway. Its page shows the problem.
  const isOffered = isCode && (!isSignedIn || isError || (code === typed && exists === true));
  const toOrder = (order: string) => ({
    id: `order-${order}`,
    label: t('order.goTo', { code: order }),
    // The palette also searches keywords. The translated label may not match the typed text.
    keywords: [order],
    onClick: () => go({ page: 'order', code: order }),
  });
  const recent = visited.length > 0 ? [{ group: t('palette.recent'), actions: visited.map(toOrder) }] : [];
  const found = isOffered && !visited.includes(typed) ? [{ group: t('palette.orders'), actions: [toOrder(typed)] }] : [];
  if (isOffered && list) {
    const { operation, parameter } = list;
    const label = t('palette.listWith', { list: name(operation), code: typed });
    const open = () => go({ page: 'browse', operation: operation.id, parameters: { [parameter]: typed } });
    found.push({ group: t('palette.codes'), actions: [{ id: 'by-code', label, keywords: [typed], onClick: open }] });
  }
  const isMissing = isCode && code === typed && exists === false;
  const isLookingUp = isCode && isSignedIn && exists === undefined && !isError;
  return { recent, found, emptyText: isMissing ? t('palette.noOrder', { code: typed }) : t(isLookingUp ? 'palette.asking' : 'palette.nothing') };
}

/** The command palette: finds pages, operations, samples, sites and sign-in by name. */
export function Palette() {
  const { t } = useTranslation();
  const [query, setQuery] = useState('');
  const groups = useActionGroups();
  const orders = useOrderSearch(query);
  const handleLateMatchKey = useOpenLateMatch(query, orders.found);
  return (
    <Spotlight
      actions={[...orders.recent, ...groups, ...orders.found]}
      query={query}
      onQueryChange={setQuery}
      // The query is also cleared on opening, because the palette can be reopened before it has faded out.
      onSpotlightOpen={() => setQuery('')}
      nothingFound={orders.emptyText}
      overlayProps={{ blur: 0 }}
      scrollable
      maxHeight={420}
      limit={40}
      shortcut="mod + K"
      // The palette also opens from inputs and selects. Text editors use its shortcut for commands of their own.
      tagsToIgnore={EDITOR_TAGS}
      searchProps={{ placeholder: t('palette.search'), 'aria-label': t('palette.search'), onKeyDown: handleLateMatchKey }}
      attributes={{ content: { 'aria-label': t('palette.open') } }}
    />
  );
}

/** Opens the sections of the settings, and changes the colors. */
function useSettingsActions(): SpotlightActionData[] {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const { changePreferences } = usePreferences();
  return useMemo(
    () => [
      ...SETTINGS_SECTIONS.map(({ id, name }) => ({
        id: `settings-${id}`,
        label: `${t('pages.settings')}: ${t(name)}`,
        onClick: () => go({ page: 'settings', section: id }),
      })),
      ...THEMES.map((look) => ({
        id: `look-${look}`,
        label: `${t('settings.look')}: ${t(`settings.looks.${look}`)}`,
        onClick: () => changePreferences({ look }),
      })),
    ],
    [t, go, changePreferences],
  );
}

/** Actions that start or stop receiving events, depending on the current state. */
function receiverActions(site: string | undefined, t: TFunction): SpotlightActionData[] {
  if (site === undefined) return [];
  return [
    { id: 'receive', label: t('receiver.start'), onClick: () => void commands.receiverStart(site).catch(showProblemNotice) },
    { id: 'receive-no-more', label: t('receiver.end'), onClick: () => void commands.receiverStop(site).catch(showProblemNotice) },
  ];
}

function useActionGroups(): SpotlightActionGroupData[] {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const { name } = useFormats();
  const operations = useOperations();
  const samples = useSamples();
  const { data } = useAppState();
  const site = useSite();
  const siteName = useSiteName();
  const session = useImport();
  const signIn = useSignIn();
  const help = useHelp();
  const windows = useWindowActions(operations);
  const settings = useSettingsActions();
  return useMemo(() => {
    const doing = [
      { id: 'open', label: t('import.open'), onClick: () => void session.pickFile() },
      site?.signedIn
        ? { id: 'sign-out', label: t('person.signOut'), onClick: () => void signIn.signOut() }
        : { id: 'sign-in', label: t('person.signIn'), onClick: () => signIn.setOpen(true) },
      { id: 'tour', label: t('tour.start'), onClick: startTour },
      ...receiverActions(site?.site.name, t),
      ...windows,
      { id: 'help', label: t('help.open'), onClick: () => help.open(null) },
    ];
    return [
      {
        group: t('palette.pages'),
        actions: [
          ...NAVIGATION_ENTRIES.map((entry) => ({ id: `page-${entry}`, label: t(`pages.${entry}`), onClick: () => go(placeOf(entry)) })),
          ...otherTabs.map((tab) => ({
            id: `events-${tab}`,
            label: `${t('pages.events')}: ${t(`inbox.tabs.${tab}`)}`,
            onClick: () => go({ page: 'events', tab }),
          })),
          ...INTEGRATION_TABS.map((tab) => ({
            id: `integrations-${tab}`,
            label: `${t('pages.integrations')}: ${t(`integrations.tabs.${tab}`)}`,
            onClick: () => go({ page: 'integrations', tab }),
          })),
        ],
      },
      { group: t('palette.actions'), actions: doing },
      { group: t('pages.settings'), actions: settings },
      {
        group: t('palette.reads'),
        actions: operations
          .filter((operation) => operation.kind === 'read')
          .map((operation) => ({
            id: `read-${operation.id}`,
            label: name(operation),
            description: operation.id,
            onClick: () => go({ page: 'browse', operation: operation.id }),
          })),
      },
      {
        group: t('palette.samples'),
        actions: (site?.site.kind === 'practice' ? samples : []).map((sample) => ({
          id: `sample-${sample.operation}`,
          label: operationName(operations, sample.operation, name),
          description: sample.file,
          onClick: () => void session.openSample(sample.operation),
        })),
      },
      {
        group: t('palette.sites'),
        actions: (data?.sites ?? []).map((one) => ({
          id: `site-${one.site.name}`,
          label: siteName(one.site.name),
          onClick: () => void commands.siteChoose(one.site.name).catch(() => undefined),
        })),
      },
    ];
  }, [t, go, name, operations, samples, data, site, siteName, session, signIn, help, windows, settings]);
}
