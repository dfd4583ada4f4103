import { useQuery } from '@tanstack/react-query';

import { type EventKind, commands } from '@/ipc/bindings';
import { queryKeys } from './queryKeys';

const none: EventKind[] = [];

/** The events that the contract describes, by their numbers. */
export function useEventKinds(): EventKind[] {
  const { data } = useQuery({ queryKey: queryKeys.eventKinds, queryFn: () => commands.eventKinds(), staleTime: Infinity });
  return data ?? none;
}
