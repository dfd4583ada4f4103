import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '@mantine/spotlight/styles.css';
import '@/base/style/tokens.css';
import '@/base/style/global.css';

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

import { type Preferences, commands } from '@/ipc/bindings';
import { countTicketsOf } from '@/ipc/tickets';
import { App } from './App';
import { startWords } from '@/base/words';

const untouched: Preferences = { language: null, look: 'system', density: 'compact' };

async function start(): Promise<void> {
  const root = document.querySelector('#root');
  if (!root) return;
  // Without its preferences the window still opens, as the system has it.
  const [preferences, shown] = await Promise.all([commands.preferences().catch(() => untouched), commands.windowView().catch(() => null), startWords()]);
  if (shown) countTicketsOf(shown.number);
  createRoot(root).render(
    <StrictMode>
      <App preferences={preferences} view={shown?.view ?? null} />
    </StrictMode>,
  );
}

void start();
