import { lazy } from 'react';

export const GraphqlPage = lazy(async () => ({ default: (await import('./GraphqlPage')).GraphqlPage }));
