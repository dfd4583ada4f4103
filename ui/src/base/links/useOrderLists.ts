import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';

import { type OrderLists, commands } from '@/ipc/bindings';
import { useOperations } from '../appState';
import { queryKeys } from '../queryKeys';

/** What in the lists is about orders; the contract says so. */
export function useOrderLists(): OrderLists {
  const { data } = useQuery({ queryKey: queryKeys.orderLists, queryFn: () => commands.orderLists(), staleTime: Infinity });
  return data ?? nothing;
}

/** The orders that an item's key names: its parts stand as rows show it. */
export function useOrdersOf(operation: string): (key: string) => string[] {
  const { keys } = useOrderLists();
  const { key: names = [], request } = useOperations().find(({ id }) => id === operation) ?? {};
  const needed = request?.fields.filter(({ name, required }) => required && names.includes(name)).length ?? 0;
  return useCallback((key) => ordersIn(key, keys[operation] ?? [], needed), [keys, operation, needed]);
}

/** What stands at these places of a key. Where one of its needed parts is empty, the others stand elsewhere: it names no order. */
export function ordersIn(key: string, places: number[], needed: number): string[] {
  const parts = key.split(' · ');
  return parts.length < needed ? [] : places.flatMap((place) => parts[place] ?? []);
}

const nothing: OrderLists = { parts: [], fields: {}, keys: {} };
