import { lazy } from 'react';

export { SETTINGS_SECTIONS } from './sections';
export { UnlockPrompt as UnlockQuestion } from './Secrets';

export const SettingsPage = lazy(async () => ({ default: (await import('./SettingsPage')).SettingsPage }));
