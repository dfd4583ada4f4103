import { useThrottledCallback } from '@mantine/hooks';
import { useEffect } from 'react';

import { events } from '@/ipc/bindings';
import { listen } from '@/ipc/listen';

/** Does something when the service's events came: at once, and while more come only every so many milliseconds. */
export function useServiceEvents(then: () => void, every: number): void {
  const notify = useThrottledCallback(then, every);
  useEffect(() => listen(events.eventsReceived, () => notify()), [notify]);
}
