import { Button, Group, TextInput, Tooltip, UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import {
  IconActivity,
  IconBuildingFactory2,
  IconFileImport,
  IconHistory,
  IconHome,
  IconInbox,
  IconListTree,
  IconPlugConnected,
  IconSettings,
  IconTable,
} from '@tabler/icons-react';
import { type ComponentType, type ReactNode, Suspense, type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useSite } from '@/base/appState';
import { type GuardQuestion, useGuardQuestion } from '@/base/guard';
import { NAVIGATION_GROUPS, type NavigationEntry, entryOf, placeOf, useNavigation } from '@/base/navigation';
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
import { TodayPage } from '@/features/today';
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

const ENTRY_ICONS: Record<NavigationEntry, ComponentType<{ size: number; stroke: number; 'aria-hidden': boolean }>> = {
  today: IconHome,
  import: IconFileImport,
  browse: IconTable,
  floor: IconActivity,
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
  return (
    <nav className={styles.rail} aria-label={t('shell.pages')}>
      <span className={styles.brand} aria-hidden>
        <svg width="20" height="20" viewBox="0 0 20 20" fill="currentColor">
          <rect x="1" y="8" width="4" height="11" rx="1" />
          <rect x="8" y="1" width="4" height="18" rx="1" />
          <rect x="15" y="12" width="4" height="7" rx="1" />
        </svg>
      </span>
      {NAVIGATION_GROUPS.map((group) => (
        <div key={group.name} className={styles.group} role="group" aria-label={t(`pages.groups.${group.name}`)}>
          <span className={styles.groupName} aria-hidden>
            {t(`pages.groups.${group.name}`)}
          </span>
          {group.entries.map((entry) => (
            <RailEntry key={entry} entry={entry} />
          ))}
        </div>
      ))}
    </nav>
  );
}

function RailEntry({ entry }: { entry: NavigationEntry }) {
  const { t } = useTranslation();
  const { place, go } = useNavigation();
  const faults = useFaultsOn();
  const isWide = useMediaQuery('(min-width: 1320px)');
  const Icon = ENTRY_ICONS[entry];
  const isMarked = entry === 'plant' && faults > 0;
  const label = isMarked ? `${t(`pages.${entry}`)}, ${t('plant.faultsOn', { count: faults })}` : t(`pages.${entry}`);
  return (
    <Tooltip label={label} position="right" disabled={isWide && !isMarked}>
      <UnstyledButton
        className={styles.entry}
        aria-label={label}
        aria-current={entryOf(place) === entry ? 'page' : undefined}
        onClick={() => go(placeOf(entry))}
        data-testid={`nav-${entry}`}
      >
        <Icon size={18} stroke={1.6} aria-hidden />
        <span className={styles.name}>{t(`pages.${entry}`)}</span>
        {isMarked && (
          <span className={styles.alarm} aria-hidden data-testid="nav-faults">
            ▲
          </span>
        )}
      </UnstyledButton>
    </Tooltip>
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
    case 'today':
      return <Home page={<TodayPage />} />;
    case 'import':
      return <Home page={<ImportPage />} />;
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
function Home({ page }: { page: ReactNode }) {
  const { preferences } = usePreferences();
  const { view, opening, problem } = useImport();
  const hasImport = view !== null || opening !== null || problem !== null;
  if (preferences.welcome === true && !hasImport) return <WelcomePage />;
  // A file that is being read is shown at once. Reading then goes to the import page.
  return opening === null ? page : <ImportPage />;
}
