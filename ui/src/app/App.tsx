import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';

import { NavigationProvider } from '@/base/navigation';
import { PreferencesProvider, usePreferences } from '@/base/preferences';
import { queryClient } from '@/base/queryClient';
import { theme, variables } from '@/base/style/theme';
import { HelpProvider } from '@/features/help';
import { ImportProvider } from '@/features/import-session';
import { SignInProvider } from '@/features/sign-in';
import { TemplateReadingProvider } from '@/features/templates';
import type { Preferences, WindowView } from '@/ipc/bindings';
import { CacheUpdates } from './CacheUpdates';
import { DesktopMessages } from './DesktopMessages';
import { OpenRequests } from './OpenRequests';
import { Shell } from './Shell';
import { ViewWindow } from './ViewWindow';

type Props = {
  preferences: Preferences;
  /** What a window beside the main one shows alone. */
  view?: WindowView | null;
};

export function App({ preferences, view = null }: Props) {
  return (
    <QueryClientProvider client={queryClient}>
      <PreferencesProvider first={preferences}>
        <Window view={view} />
      </PreferencesProvider>
    </QueryClientProvider>
  );
}

function Window({ view }: { view: WindowView | null }) {
  const { shown } = usePreferences();
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      forceColorScheme={shown === 'dark' ? 'dark' : 'light'}
    >
      <Notifications position="bottom-right" limit={3} />
      {view === null ? <MainWindow /> : <ViewWindow view={view} />}
    </MantineProvider>
  );
}

/** Here alone files are opened, work is kept, and the desktop is told of what ends. */
function MainWindow() {
  return (
    <NavigationProvider>
      <SignInProvider>
        <ImportProvider>
          <TemplateReadingProvider>
            <HelpProvider>
              <CacheUpdates />
              <DesktopMessages />
              <OpenRequests />
              <Shell />
            </HelpProvider>
          </TemplateReadingProvider>
        </ImportProvider>
      </SignInProvider>
    </NavigationProvider>
  );
}
