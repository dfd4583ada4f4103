import { useThrottledCallback } from '@mantine/hooks';
import { useEffect } from 'react';

import { events } from './bindings';
import { listen } from './listen';

/** Does something when the service's events came: at once, and while more come only every so many milliseconds. */
export function useEventsCame(then: () => void, every: number): void {
  const told = useThrottledCallback(then, every);
  useEffect(() => listen(events.eventsCame, () => told()), [told]);
}
