import { lazy } from 'react';

export const HistoryPage = lazy(async () => ({ default: (await import('./HistoryPage')).HistoryPage }));
