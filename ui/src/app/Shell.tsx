import { Button, Group, TextInput } from '@mantine/core';
import { Suspense, type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useSite } from '@/base/appState';
import { type Question, useGuardQuestion } from '@/base/guard';
import { useNavigation } from '@/base/navigation';
import { usePreferences } from '@/base/preferences';
import { siteLook } from '@/components/marks/SiteName';
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
import { PlantPage } from '@/features/plant';
import { SettingsPage, UnlockQuestion } from '@/features/settings';
import { TemplatesPage } from '@/features/templates';
import { Tour, WelcomePage } from '@/features/welcome';
import { Notices } from './Notices';
import { Palette } from './palette/Palette';
import { Rail } from './Rail';
import { TopBar } from './TopBar';
import { WindowKeys } from './keys/WindowKeys';
import styles from './shell.module.css';

/** Asks for the name of a production site before a write. */
function GuardDialog() {
  const question = useGuardQuestion();
  return question && <SiteNameForm key={question.site} question={question} />;
}

function SiteNameForm({ question }: { question: Question }) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState('');
  const { site, what, answer } = question;
  const right = typed.trim() === site;
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (right) answer(site);
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
          <Button type="submit" color="red" disabled={!right} data-testid="guard-confirm">
            {what ?? t('guard.write', { site })}
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}

/** The window's layout: rail, top bar, notices and page. */
export function Shell() {
  const { t } = useTranslation();
  const site = useSite();
  return (
    <div className={styles.shell} data-kind={site ? siteLook(site.site) : 'practice'}>
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

function Content() {
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
  const begun = view !== null || opening !== null || problem !== null;
  return preferences.welcome === true && !begun ? <WelcomePage /> : <ImportPage />;
}
