import { lazy } from 'react';

/** Loaded when it is first opened. */
export const HistoryPage = lazy(async () => ({ default: (await import('./HistoryPage')).HistoryPage }));
