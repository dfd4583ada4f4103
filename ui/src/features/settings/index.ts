import { lazy } from 'react';

export { UnlockPrompt as UnlockQuestion } from './Secrets';

export const SettingsPage = lazy(async () => ({ default: (await import('./SettingsPage')).SettingsPage }));
