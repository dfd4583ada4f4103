import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';

import { ImportProvider } from '../features/import/session';
import { SignInProvider } from '../features/sign-in/signIn';
import { TemplateReadingProvider } from '../features/templates/reading';
import type { Preferences } from '../ipc/bindings';
import { Events } from './Events';
import { Outside } from './Outside';
import { Shell } from './Shell';
import { client } from './client';
import { NavigationProvider } from './navigation';
import { PreferencesProvider, usePreferences } from './preferences';
import { theme, variables } from './theme';

export function App({ preferences }: { preferences: Preferences }) {
  return (
    <QueryClientProvider client={client}>
      <PreferencesProvider first={preferences}>
        <Window />
      </PreferencesProvider>
    </QueryClientProvider>
  );
}

function Window() {
  const { shown } = usePreferences();
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      forceColorScheme={shown === 'dark' ? 'dark' : 'light'}
    >
      <Notifications position="bottom-right" limit={3} />
      <NavigationProvider>
        <SignInProvider>
          <ImportProvider>
            <TemplateReadingProvider>
              <Events />
              <Outside />
              <Shell />
            </TemplateReadingProvider>
          </ImportProvider>
        </SignInProvider>
      </NavigationProvider>
    </MantineProvider>
  );
}
