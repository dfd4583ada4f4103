import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';

import { NavigationProvider } from '@/base/navigation';
import { PreferencesProvider, usePreferences } from '@/base/preferences';
import { queryClient } from '@/base/queryClient';
import { theme, variables } from '@/base/style/theme';
import { ImportProvider } from '@/features/import-session';
import { SignInProvider } from '@/features/sign-in';
import { TemplateReadingProvider } from '@/features/templates';
import type { Preferences } from '@/ipc/bindings';
import { CacheUpdates } from './CacheUpdates';
import { DesktopMessages } from './DesktopMessages';
import { Shell } from './Shell';

export function App({ preferences }: { preferences: Preferences }) {
  return (
    <QueryClientProvider client={queryClient}>
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
              <CacheUpdates />
              <DesktopMessages />
              <Shell />
            </TemplateReadingProvider>
          </ImportProvider>
        </SignInProvider>
      </NavigationProvider>
    </MantineProvider>
  );
}
