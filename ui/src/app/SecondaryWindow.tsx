import { Button } from '@mantine/core';
import { Suspense, useCallback, useEffect } from 'react';
import { useTranslation } from 'react-i18next';

import { useOperations, useSite } from '@/base/appState';
import { NavigationProvider, type Place, useNavigation } from '@/base/navigation';
import { useFormats } from '@/base/useFormats';
import { isWithin, placeOf, toMainPlace, viewOf } from '@/base/window/windowPlaces';
import { WindowViewProvider, useReportView } from '@/base/window/windowView';
import { SiteMark, displayedSiteKind, useSiteName } from '@/components/marks/SiteName';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { BrowsePage } from '@/features/browse';
import { EventsPage } from '@/features/events';
import { SignInProvider } from '@/features/sign-in';
import { type MainPlace, type WindowView, commands } from '@/ipc/bindings';
import { CacheUpdates } from './CacheUpdates';
import { HistoryButtons } from './HistoryButtons';
import { WindowKeys } from './keys/WindowKeys';
import bar from './bar.module.css';
import styles from './shell.module.css';

function openInMainWindow(place: MainPlace): void {
  commands.mainWindowOpen(place).catch(showProblemNotice);
}

/** A secondary window that shows only the floor or a list. Links to other pages open in the main window. */
export function SecondaryWindow({ view }: { view: WindowView }) {
  const openElsewhere = useCallback(
    (place: Place) => {
      if (isWithin(view, place)) return false;
      openInMainWindow(toMainPlace(place));
      return true;
    },
    [view],
  );
  return (
    <WindowViewProvider value={view}>
      <NavigationProvider initialPlace={placeOf(view)} openElsewhere={openElsewhere}>
        <SignInProvider>
          <CacheUpdates />
          <SecondaryShell />
        </SignInProvider>
      </NavigationProvider>
    </WindowViewProvider>
  );
}

function SecondaryShell() {
  const { t } = useTranslation();
  const site = useSite();
  const { place } = useNavigation();
  // A list reports its own view, because only the list knows its filters.
  useReportView(place.page === 'events' ? viewOf(place) : null);
  useWindowTitle(place);
  return (
    <div className={styles.shell} data-window="view" data-kind={site ? displayedSiteKind(site.site) : 'practice'} data-testid="view-window">
      <div className={styles.band} aria-hidden />
      <header className={bar.bar}>
        <HistoryButtons />
        <span className="hidden">{t('site.site')}</span>
        {site && <SiteMark site={site.site} />}
        <div className={bar.right}>
          <Button variant="subtle" size="compact-sm" onClick={() => openInMainWindow({ page: 'any' })} data-testid="to-main-window">
            {t('window.toMain')}
          </Button>
        </div>
      </header>
      <main id="content" className={styles.main} tabIndex={-1}>
        <div className={styles.page}>
          <Suspense fallback={<div className={styles.waiting} aria-busy="true" />}>
            {place.page === 'events' && <EventsPage place={place} />}
            {place.page === 'browse' && <BrowsePage place={place} />}
          </Suspense>
        </div>
      </main>
      <section id="floating" className={styles.floating} aria-label={t('shell.floating')} />
      <WindowKeys />
    </div>
  );
}

/** Sets the window's title to the list or station and the site. */
function useWindowTitle(place: Place): void {
  const { t } = useTranslation();
  const { name } = useFormats();
  const siteName = useSiteName();
  const site = useSite();
  const view = viewOf(place);
  const operation = useOperations().find(({ id }) => view?.kind === 'list' && id === view.operation);
  const station = view?.kind === 'floor' ? view.station : null;
  const floor = station === null ? t('pages.floor') : t('window.station', { code: station });
  const page = view?.kind === 'list' ? operation && name(operation) : floor;
  const title = page && site ? t('window.title', { page, site: siteName(site.site.name) }) : 'Takt';
  useEffect(() => {
    document.title = title;
  }, [title]);
}
