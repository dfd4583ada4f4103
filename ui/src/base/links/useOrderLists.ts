import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';

import { type OrderLists, commands } from '@/ipc/bindings';
import { useOperations } from '../appState';
import { queryKeys } from '../queryKeys';

/** Returns the lists and fields that name orders, according to the contract. */
export function useOrderLists(): OrderLists {
  const { data } = useQuery({ queryKey: queryKeys.orderLists, queryFn: () => commands.orderLists(), staleTime: Infinity });
  return data ?? NO_ORDER_LISTS;
}

/** Returns a function that extracts the orders from an item's displayed key. */
export function useOrdersOf(operation: string): (key: string) => string[] {
  const { keys } = useOrderLists();
  const { key: names = [], request } = useOperations().find(({ id }) => id === operation) ?? {};
  const requiredParts = request?.fields.filter(({ name, required }) => required && names.includes(name)).length ?? 0;
  return useCallback((key) => extractOrders(key, keys[operation] ?? [], requiredParts), [keys, operation, requiredParts]);
}

/**
 * Returns the key's parts at these indexes. A key with fewer parts than needed names no order, because its parts have shifted.
 */
export function extractOrders(key: string, indexes: number[], requiredParts: number): string[] {
  const parts = key.split(' · ');
  return parts.length < requiredParts ? [] : indexes.flatMap((place) => parts[place] ?? []);
}

const NO_ORDER_LISTS: OrderLists = { parts: [], fields: {}, keys: {} };
