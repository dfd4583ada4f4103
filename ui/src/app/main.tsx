import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import '@/base/style/mantine.css';
import '@mantine/dates/styles.css';
import '@mantine/notifications/styles.css';
import '@mantine/spotlight/styles.css';
import '@/base/style/tokens.css';
import '@/base/style/global.css';

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

import { type Preferences, commands } from '@/ipc/bindings';
import { setTicketRange } from '@/ipc/tickets';
import { windowStart } from '@/ipc/windowStart';
import { App } from './App';
import { queryClient } from '@/base/queryClient';
import { queryKeys } from '@/base/queryKeys';
import { initTranslations } from '@/base/words';

const DEFAULT_PREFERENCES: Preferences = { language: null, look: 'system', density: 'compact' };

async function start(): Promise<void> {
  const root = document.querySelector('#root');
  if (!root) return;
  const windowData = windowStart();
  // The state is marked as stale, so that it is refetched in the background.
  if (windowData?.app) queryClient.setQueryData(queryKeys.app, windowData.app, { updatedAt: 0 });
  // If the preferences can't be read, the window opens with the system's settings.
  const [preferences, secondaryWindow] = await Promise.all([
    windowData?.preferences ?? commands.preferences().catch(() => DEFAULT_PREFERENCES),
    windowData ? null : commands.windowView().catch(() => null),
    initTranslations(),
  ]);
  if (secondaryWindow) setTicketRange(secondaryWindow.number);
  createRoot(root).render(
    <StrictMode>
      <App preferences={preferences} view={secondaryWindow?.view ?? null} />
    </StrictMode>,
  );
}

void start();
