import { Button, Group, TextInput, Tooltip, UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import {
  IconBuildingFactory2,
  IconFileImport,
  IconHistory,
  IconInbox,
  IconListTree,
  IconPlugConnected,
  IconSettings,
  IconTable,
} from '@tabler/icons-react';
import { type ComponentType, Suspense, type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useSite } from '@/base/appState';
import { type GuardQuestion, useGuardQuestion } from '@/base/guard';
import { type Page, pages, useNavigation } from '@/base/navigation';
import { usePreferences } from '@/base/preferences';
import { displayedSiteKind } from '@/components/marks/SiteName';
import { Dialog } from '@/components/page/Dialog';
import { BrowsePage } from '@/features/browse';
import { ContractPage } from '@/features/contract';
import { EventsPage } from '@/features/events';
import { HelpPanel } from '@/features/help';
import { HistoryPage } from '@/features/history';
import { DropZone, ImportPage } from '@/features/import';
import { DiscardDialog, useImport } from '@/features/import-session';
import { IntegrationsPage } from '@/features/integrations';
import { OrderPage } from '@/features/order';
import { PlantPage, useFaultsOn } from '@/features/plant';
import { SettingsPage, UnlockQuestion } from '@/features/settings';
import { TemplatesPage } from '@/features/templates';
import { Tour, WelcomePage } from '@/features/welcome';
import { Notices } from './Notices';
import { Palette } from './Palette';
import { TopBar } from './TopBar';
import { WindowKeys } from './keys/WindowKeys';
import styles from './shell.module.css';

/** Asks for the name of a production site before a write. */
function GuardDialog() {
  const question = useGuardQuestion();
  return question && <SiteNameForm key={question.site} question={question} />;
}

function SiteNameForm({ question }: { question: GuardQuestion }) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState('');
  const { site, label, answer } = question;
  const isMatching = typed.trim() === site;
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (isMatching) answer(site);
  };
  return (
    <Dialog title={t('guard.title', { site })} close={() => answer(null)} wide>
      <form className={styles.guardForm} onSubmit={submit} data-testid="guard">
        <p>{t('guard.explain')}</p>
        <TextInput
          label={t('guard.type', { site })}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          data-testid="guard-name"
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={() => answer(null)} data-testid="guard-cancel">
            {t('common.cancel')}
          </Button>
          <Button type="submit" color="red" disabled={!isMatching} data-testid="guard-confirm">
            {label ?? t('guard.write', { site })}
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}

const PAGE_ICONS: Record<Page, ComponentType<{ size: number; stroke: number; 'aria-hidden': boolean }>> = {
  import: IconFileImport,
  browse: IconTable,
  events: IconInbox,
  templates: IconListTree,
  integrations: IconPlugConnected,
  history: IconHistory,
  plant: IconBuildingFactory2,
  settings: IconSettings,
};

/** The navigation rail: icons, with labels if there is room. */
function NavigationRail() {
  const { t } = useTranslation();
  const { place, go } = useNavigation();
  const faults = useFaultsOn();
  const hasLabels = useMediaQuery('(min-width: 1320px)');
  return (
    <nav className={styles.rail} aria-label={t('shell.pages')}>
      <span className={styles.brand} aria-hidden>
        <svg width="20" height="20" viewBox="0 0 20 20" fill="currentColor">
          <rect x="1" y="8" width="4" height="11" rx="1" />
          <rect x="8" y="1" width="4" height="18" rx="1" />
          <rect x="15" y="12" width="4" height="7" rx="1" />
        </svg>
      </span>
      {pages.map((page) => {
        const Icon = PAGE_ICONS[page];
        const marked = page === 'plant' && faults > 0;
        const label = marked ? `${t(`pages.${page}`)}, ${t('plant.faultsOn', { count: faults })}` : t(`pages.${page}`);
        return (
          <Tooltip key={page} label={label} position="right" disabled={hasLabels && !marked}>
            <UnstyledButton
              className={styles.entry}
              aria-label={label}
              aria-current={place.page === page ? 'page' : undefined}
              onClick={() => go({ page })}
              data-testid={`nav-${page}`}
            >
              <Icon size={20} stroke={1.6} aria-hidden />
              <span className={styles.name}>{t(`pages.${page}`)}</span>
              {marked && (
                <span className={styles.alarm} aria-hidden data-testid="nav-faults">
                  ▲
                </span>
              )}
            </UnstyledButton>
          </Tooltip>
        );
      })}
    </nav>
  );
}

/** The window's layout: rail, top bar, notices and page. */
export function Shell() {
  const { t } = useTranslation();
  const site = useSite();
  return (
    <div className={styles.shell} data-kind={site ? displayedSiteKind(site.site) : 'practice'}>
      <a className={styles.skip} href="#content">
        {t('shell.skip')}
      </a>
      <div className={styles.band} aria-hidden />
      <TopBar />
      <NavigationRail />
      <main id="content" className={styles.main} tabIndex={-1}>
        <Notices />
        <div className={styles.page}>
          <Suspense fallback={<div className={styles.waiting} aria-busy="true" />}>
            <PageContent />
          </Suspense>
        </div>
      </main>
      <HelpPanel />
      <section id="floating" className={styles.floating} aria-label={t('shell.floating')} />
      <DropZone />
      <Tour />
      <Palette />
      <WindowKeys />
      <GuardDialog />
      <DiscardDialog />
      <UnlockQuestion />
    </div>
  );
}

function PageContent() {
  const { place } = useNavigation();
  switch (place.page) {
    case 'import':
      return <Home />;
    case 'browse':
      return <BrowsePage place={place} />;
    case 'order':
      return <OrderPage code={place.code} />;
    case 'events':
      return <EventsPage place={place} />;
    case 'templates':
      return <TemplatesPage />;
    case 'integrations':
      return <IntegrationsPage place={place} />;
    case 'history':
      return <HistoryPage submission={place.submission} />;
    case 'plant':
      return <PlantPage />;
    case 'settings':
      return place.contract === undefined ? <SettingsPage /> : <ContractPage key={place.contract} site={place.contract} />;
  }
}

/** Shows the welcome page on first use, unless a file is open or opening. */
function Home() {
  const { preferences } = usePreferences();
  const { view, opening, problem } = useImport();
  const hasImport = view !== null || opening !== null || problem !== null;
  return preferences.welcome === true && !hasImport ? <WelcomePage /> : <ImportPage />;
}
