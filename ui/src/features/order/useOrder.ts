import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';

import { useSite } from '@/base/appState';
import { queryKeys } from '@/base/queryKeys';
import { type OrderTimeSpan, type OrderList, type OrderPart, type OrderSubmission, commands } from '@/ipc/bindings';
import { nextTicket } from '@/ipc/tickets';

type OrderListQuery = UseQueryResult<OrderList>;

/** Reads one list's rows about an order, once per visit of the page. Unmounting cancels the request. */
export function useOrderList(code: string, part: OrderPart | undefined, around: OrderTimeSpan | null): OrderListQuery {
  const site = useSite()?.site.name;
  const isWaiting = part?.by.by === 'dates' && around === null;
  return useQuery({
    queryKey: queryKeys.orderList(code, site, part?.operation, around),
    queryFn: async ({ signal }) => {
      if (!part) throw new Error('no list');
      const ticket = nextTicket();
      signal.addEventListener('abort', () => void commands.ticketStop(ticket).catch(() => undefined));
      return commands.orderList(code, part.operation, around, ticket);
    },
    enabled: part !== undefined && !isWaiting,
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
}

/** Returns the submissions that contain an order. */
export function useOrderSubmissions(code: string): UseQueryResult<OrderSubmission[]> {
  const site = useSite()?.site.name;
  return useQuery({
    queryKey: queryKeys.orderSubmissions(code, site),
    queryFn: () => commands.orderSubmissions(code),
    gcTime: 0,
    retry: false,
  });
}

/** Returns a function that refetches everything about an order. */
export function useRefreshOrder(code: string): () => void {
  const queries = useQueryClient();
  return useCallback(() => void queries.invalidateQueries({ queryKey: queryKeys.order(code) }), [queries, code]);
}
