import { lazy } from 'react';

/** Loaded when it is first opened. */
export const SettingsPage = lazy(async () => ({ default: (await import('./SettingsPage')).SettingsPage }));
