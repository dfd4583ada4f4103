import { lazy } from 'react';

export const EventsPage = lazy(async () => ({ default: (await import('./EventsPage')).EventsPage }));
