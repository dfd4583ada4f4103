import { Suspense, lazy } from 'react';
import { useTranslation } from 'react-i18next';

import { useSite } from '@/base/appState';
import { useNavigation } from '@/base/navigation';
import { DiscardDialog } from '@/features/import-session/DiscardDialog';
import { DropZone } from '@/features/import/file/DropZone';
import { GuardDialog } from './GuardDialog';
import { Notices } from './Notices';
import { Palette } from './Palette';
import { Rail } from './Rail';
import { TopBar } from './TopBar';
import styles from './shell.module.css';

const ImportPage = lazy(async () => ({ default: (await import('@/features/import/ImportPage')).ImportPage }));
const BrowsePage = lazy(async () => ({ default: (await import('@/features/browse/BrowsePage')).BrowsePage }));
const OrderPage = lazy(async () => ({ default: (await import('@/features/order/OrderPage')).OrderPage }));
const EventsPage = lazy(async () => ({ default: (await import('@/features/events/EventsPage')).EventsPage }));
const TemplatesPage = lazy(async () => ({ default: (await import('@/features/templates/TemplatesPage')).TemplatesPage }));
const GraphqlPage = lazy(async () => ({ default: (await import('@/features/graphql/GraphqlPage')).GraphqlPage }));
const HistoryPage = lazy(async () => ({ default: (await import('@/features/history/HistoryPage')).HistoryPage }));
const PlantPage = lazy(async () => ({ default: (await import('@/features/plant/PlantPage')).PlantPage }));
const SettingsPage = lazy(async () => ({ default: (await import('@/features/settings/SettingsPage')).SettingsPage }));

/** The window: rail, top bar, what needs a decision, and the page. */
export function Shell() {
  const { t } = useTranslation();
  const site = useSite();
  return (
    <div className={styles.shell} data-kind={site?.site.kind ?? 'practice'}>
      <a className={styles.skip} href="#content">
        {t('shell.skip')}
      </a>
      <div className={styles.band} aria-hidden />
      <TopBar />
      <Rail />
      <main id="content" className={styles.main} tabIndex={-1}>
        <Notices />
        <div className={styles.page}>
          <Suspense fallback={<div className={styles.waiting} aria-busy="true" />}>
            <Content />
          </Suspense>
        </div>
      </main>
      <section id="floating" className={styles.floating} aria-label={t('shell.floating')} />
      <DropZone />
      <Palette />
      <GuardDialog />
      <DiscardDialog />
    </div>
  );
}

function Content() {
  const { place } = useNavigation();
  switch (place.page) {
    case 'import':
      return <ImportPage />;
    case 'browse':
      return <BrowsePage place={place} />;
    case 'order':
      return <OrderPage code={place.code} />;
    case 'events':
      return <EventsPage place={place} />;
    case 'templates':
      return <TemplatesPage />;
    case 'graphql':
      return <GraphqlPage />;
    case 'history':
      return <HistoryPage submission={place.submission} />;
    case 'plant':
      return <PlantPage />;
    case 'settings':
      return <SettingsPage />;
  }
}
