import { lazy } from 'react';

export const BrowsePage = lazy(async () => ({ default: (await import('./BrowsePage')).BrowsePage }));
