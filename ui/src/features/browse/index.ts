import { lazy } from 'react';

/** Loaded when it is first opened. */
export const BrowsePage = lazy(async () => ({ default: (await import('./BrowsePage')).BrowsePage }));
