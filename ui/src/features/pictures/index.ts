import { lazy } from 'react';

export { type Viewing, ViewSwitch } from './ViewSwitch';

/** Loaded when they are first looked at: they bring the library that draws. */
export const Pictures = lazy(async () => ({ default: (await import('./Pictures')).Pictures }));
