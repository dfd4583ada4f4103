import { MantineProvider } from '@mantine/core';
import { Notifications, notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';

import { NavigationProvider, useNavigation } from '@/base/navigation';
import { PreferencesProvider, usePreferences } from '@/base/preferences';
import { queryClient } from '@/base/queryClient';
import { theme, themeVariables } from '@/base/style/theme';
import { fromMainPlace } from '@/base/window/windowPlaces';
import { useStoppedNotice } from '@/features/forwarding';
import { HelpProvider } from '@/features/help';
import { ImportProvider, useImport } from '@/features/import-session';
import { SignInProvider } from '@/features/sign-in';
import { useEndNotice } from '@/features/submission';
import { TemplateReadingProvider } from '@/features/templates';
import { commands, events, type OpenRequest, type Preferences, type WindowView } from '@/ipc/bindings';
import { closePageNotices } from '@/components/notices/pageNotice';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { listen } from '@/ipc/listen';

import { CacheUpdates } from './CacheUpdates';
import { Shell } from './Shell';
import { SecondaryWindow } from './SecondaryWindow';

/** Opens files and links that reach the app from outside the window, such as a double-clicked workbook. */
function OpenRequests() {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const { openFile } = useImport();
  const handleRequests = async (requests: readonly OpenRequest[]) => {
    const [first, ...others] = requests.flatMap((request) => (request.kind === 'workbook' ? [request.path] : []));
    if (first !== undefined) void openFile(first);
    if (others.length > 0) notifications.show({ message: t('openRequest.oneWorkbook', { files: others.map(fileNameOf).join(', ') }), color: 'yellow' });
    for (const request of requests) if (request.kind === 'refused') showProblemNotice(request.problem);
    // Only the last requested page is shown.
    const place = requests.findLast(({ kind }) => kind === 'order' || kind === 'submission');
    if (place?.kind === 'submission') go({ page: 'history', submission: place.id });
    if (place?.kind !== 'order') return;
    if (place.site !== null) await commands.siteChoose(place.site);
    go({ page: 'order', code: place.code });
  };
  const latest = useRef(handleRequests);
  useEffect(() => {
    latest.current = handleRequests;
  });
  useEffect(() => {
    const takeRequests = () => void commands.openRequestsTake().then((requests) => latest.current(requests)).catch(showProblemNotice);
    return listen(events.openRequested, takeRequests, takeRequests);
  }, []);
  return null;
}

function fileNameOf(path: string): string {
  return path.split(/[\\/]/u).at(-1) ?? path;
}

type Props = {
  preferences: Preferences;
  /** The view of a secondary window, null in the main window. */
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
  const { colorScheme } = usePreferences();
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={themeVariables}
      forceColorScheme={colorScheme === 'dark' ? 'dark' : 'light'}
    >
      <Notifications position="bottom-right" limit={3} />
      {view === null ? <MainWindow /> : <SecondaryWindow view={view} />}
    </MantineProvider>
  );
}

/**
 * Passes the translated texts of the tray and notifications to the shell. Opens places that a notification or another window
 * requests.
 */
function DesktopMessages() {
  const { t } = useTranslation();
  const { go } = useNavigation();
  useEndNotice();
  useStoppedNotice();
  useEffect(() => {
    const tray = { open: t('tray.open'), receiving: t('tray.receiving'), quit: t('tray.quit') };
    const notices = { unknown: t('notices.unknown'), many: t('notices.many'), open: t('notices.open') };
    commands.setNativeTexts({ tray, notices }).catch(() => undefined);
  }, [t]);
  useEffect(() => listen(events.noticeOpened, ({ event }) => go({ page: 'events', event: event ?? undefined })), [go]);
  useEffect(
    () =>
      listen(events.mainPlaceOpened, (opened) => {
        const place = fromMainPlace(opened);
        if (place) go(place);
      }),
    [go],
  );
  return null;
}

/** Closes the notices of a page when another one is opened. */
function PageNotices() {
  const { place } = useNavigation();
  const previousPage = useRef(place.page);
  useEffect(() => {
    if (previousPage.current !== place.page) closePageNotices();
    previousPage.current = place.page;
  }, [place.page]);
  return null;
}

/** The main window. Only it opens files, stores the import and sends desktop notifications. */
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
              <PageNotices />
              <Shell />
            </HelpProvider>
          </TemplateReadingProvider>
        </ImportProvider>
      </SignInProvider>
    </NavigationProvider>
  );
}
