import { useThrottledCallback } from '@mantine/hooks';
import { useEffect } from 'react';

import { events } from '@/ipc/bindings';
import { listen } from '@/ipc/listen';

/** Calls `onEvents` when service events arrive, at most once per `interval` milliseconds. */
export function useServiceEvents(onEvents: () => void, interval: number): void {
  const notify = useThrottledCallback(onEvents, interval);
  useEffect(() => listen(events.eventsReceived, () => notify()), [notify]);
}
