import { useQuery } from '@tanstack/react-query';

import { queryKeys } from '@/base/queryKeys';
import { commands } from '@/ipc/bindings';

/** The operations that rows of a list can become; the contract says so. */
export function useRowOperations(list: string): readonly string[] {
  const { data } = useQuery({ queryKey: queryKeys.rowOperations(list), queryFn: () => commands.rowsBecome(list), staleTime: Infinity });
  return data ?? none;
}

const none: readonly string[] = [];
