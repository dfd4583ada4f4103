import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

import { queryKeys } from '@/base/queryKeys';
import { refetchQueries } from '@/base/refetch';
import { type EventGap, commands, events } from '@/ipc/bindings';
import { listen } from '@/ipc/listen';

const NO_GAPS: EventGap[] = [];

/** Returns the periods in which a site could receive no events, newest first. */
export function useGaps(site: string): { gaps: EventGap[]; isLoading: boolean } {
  const client = useQueryClient();
  const { data, isLoading } = useQuery({
    queryKey: queryKeys.eventGapsOf(site),
    queryFn: async () => (await commands.eventGaps()).filter((gap) => gap.site === site),
    // A computer reports the gap only after it wakes up.
    refetchInterval: 60_000,
  });
  useEffect(() => listen(events.receiverChanged, () => void refetchQueries(client, queryKeys.eventGaps)), [client]);
  return { gaps: data ?? NO_GAPS, isLoading };
}
