import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';

import { type OrderLists, commands } from '@/ipc/bindings';
import { queryKeys } from '../queryKeys';

/** What in the lists is about orders; the contract says so. */
export function useOrderLists(): OrderLists {
  const { data } = useQuery({ queryKey: queryKeys.orderLists, queryFn: () => commands.orderLists(), staleTime: Infinity });
  return data ?? nothing;
}

/** The orders that an item's key names: its parts stand as rows show it. */
export function useOrdersOf(operation: string): (key: string) => string[] {
  const { keys } = useOrderLists();
  return useCallback(
    (key) => {
      const parts = key.split(' · ');
      return (keys[operation] ?? []).flatMap((place) => parts[place] ?? []);
    },
    [keys, operation],
  );
}

const nothing: OrderLists = { parts: [], fields: {}, keys: {} };
