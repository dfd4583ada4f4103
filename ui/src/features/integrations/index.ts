import { lazy } from 'react';

/** Loaded when it is first opened. */
export const IntegrationsPage = lazy(async () => ({ default: (await import('./IntegrationsPage')).IntegrationsPage }));
