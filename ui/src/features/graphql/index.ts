import { lazy } from 'react';

/** Loaded when it is first opened. */
export const GraphqlPage = lazy(async () => ({ default: (await import('./GraphqlPage')).GraphqlPage }));
