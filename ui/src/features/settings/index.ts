import { lazy } from 'react';

export { UnlockQuestion } from './Secrets';

export const SettingsPage = lazy(async () => ({ default: (await import('./SettingsPage')).SettingsPage }));
