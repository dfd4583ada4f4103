import { useDebouncedValue } from '@mantine/hooks';
import type { SpotlightActionGroupData } from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { useOperations, useSite } from '@/base/appState';
import { listByCode } from '@/base/links/valueLinks';
import { useNavigation } from '@/base/navigation';
import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { commands } from '@/ipc/bindings';
import { nextTicket } from '@/ipc/tickets';

/** Debounce for the order lookup, in milliseconds. */
const SEARCH_DELAY = 250;

type OrderSearch = {
  /** Recently opened orders. */
  recent: SpotlightActionGroupData[];
  /** The typed code, if it is an order. */
  found: SpotlightActionGroupData[];
  /** The text shown if nothing is found. */
  nothing: string;
};

/** Finds orders by code: recent orders, and the typed code if the site has it. */
export function useOrderSearch(query: string): OrderSearch {
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
  // Without a sign-in or after an error the order is offered anyway, and its page shows the problem.
  const isThere = isCode && (!isSignedIn || isError || (code === typed && exists === true));
  const toOrder = (order: string) => ({
    id: `order-${order}`,
    label: t('order.goTo', { code: order }),
    // Matches the typed text, whatever the label is.
    keywords: [order],
    onClick: () => go({ page: 'order', code: order }),
  });
  const recent = visited.length > 0 ? [{ group: t('palette.recent'), actions: visited.map(toOrder) }] : [];
  const found = isThere && !visited.includes(typed) ? [{ group: t('palette.orders'), actions: [toOrder(typed)] }] : [];
  if (isThere && list) {
    const { operation, parameter } = list;
    const label = t('palette.listWith', { list: name(operation), code: typed });
    const open = () => go({ page: 'browse', operation: operation.id, parameters: { [parameter]: typed } });
    found.push({ group: t('palette.codes'), actions: [{ id: 'by-code', label, keywords: [typed], onClick: open }] });
  }
  const isMissing = isCode && code === typed && exists === false;
  const isAsked = isCode && isSignedIn && exists === undefined && !isError;
  return { recent, found, nothing: isMissing ? t('palette.noOrder', { code: typed }) : t(isAsked ? 'palette.asking' : 'palette.nothing') };
}
