import { useThrottledCallback } from '@mantine/hooks';
import { useEffect } from 'react';

import { events } from '@/ipc/bindings';
import { listen } from '@/ipc/listen';

/** Calls `then` when service events arrive, at most once per `every` milliseconds. */
export function useServiceEvents(then: () => void, every: number): void {
  const notify = useThrottledCallback(then, every);
  useEffect(() => listen(events.eventsReceived, () => notify()), [notify]);
}
