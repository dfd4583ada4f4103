import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

import { type EventGap, commands, events } from '../../ipc/bindings';
import { listen } from '../../ipc/listen';
import { readAgain } from '../../ipc/readAgain';

const none: EventGap[] = [];

/** Spans of time in which nothing could come to a site, newest first. */
export function useGaps(site: string): EventGap[] {
  const client = useQueryClient();
  const { data } = useQuery({
    queryKey: ['event-gaps', site],
    queryFn: async () => (await commands.eventGaps()).filter((gap) => gap.site === site),
    // A computer that slept tells it only after it woke.
    refetchInterval: 60_000,
  });
  useEffect(() => listen(events.receiverChanged, () => void readAgain(client, ['event-gaps'])), [client]);
  return data ?? none;
}
