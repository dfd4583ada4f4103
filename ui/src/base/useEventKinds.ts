import { useQuery } from '@tanstack/react-query';

import { type EventKind, commands } from '@/ipc/bindings';
import { queryKeys } from './queryKeys';

const NO_KINDS: EventKind[] = [];

/** Returns the event kinds that the contract describes. */
export function useEventKinds(): EventKind[] {
  const { data } = useQuery({ queryKey: queryKeys.eventKinds, queryFn: () => commands.eventKinds(), staleTime: Infinity });
  return data ?? NO_KINDS;
}
