import { lazy } from 'react';

/** Loaded when it is first opened. */
export const EventsPage = lazy(async () => ({ default: (await import('./EventsPage')).EventsPage }));
