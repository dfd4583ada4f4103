import { lazy } from 'react';

export const IntegrationsPage = lazy(async () => ({ default: (await import('./IntegrationsPage')).IntegrationsPage }));
