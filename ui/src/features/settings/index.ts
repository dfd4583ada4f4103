import { lazy } from 'react';

export { UnlockQuestion } from './Secrets';

/** Loaded when it is first opened. */
export const SettingsPage = lazy(async () => ({ default: (await import('./SettingsPage')).SettingsPage }));
