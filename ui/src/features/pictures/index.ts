import { lazy } from 'react';

export { type RowsView as Viewing, ViewSwitch } from './ViewSwitch';

/** Loaded on demand, because they include the chart library. */
export const Pictures = lazy(async () => ({ default: (await import('./Pictures')).Pictures }));
