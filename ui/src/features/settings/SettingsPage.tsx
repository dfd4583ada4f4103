import { useTranslation } from 'react-i18next';
import { Button, CloseButton, TextInput, UnstyledButton } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';

import { useNavigation } from '@/base/navigation';
import { useSiteName } from '@/components/marks/SiteName';
import { EmptyState } from '@/components/page/EmptyState';
import { PageFrame } from '@/components/page/PageFrame';
import { useFirstLoad } from '@/components/page/useFirstLoad';
import { ReceiverSettings, useReceiver, useReceiverActions, useTray } from '@/features/receiver';
import { matchesAll } from '@/base/values/searchText';
import type { ReceiverView } from '@/ipc/bindings';

import { About } from './About';
import { Appearance } from './Appearance';
import { Secrets } from './Secrets';
import { SETTINGS_SECTIONS } from './sections';
import { Sites } from './sites/Sites';
import { Storage, useStorage } from './Storage';
import { Team, useTeam } from './team/Team';
import styles from './common/settings.module.css';

function scrollToSection(id: string): void {
  document.querySelector(`#${id}`)?.closest('section')?.scrollIntoView({ block: 'start' });
}

/** Links to the sections. */
function SectionList() {
  const { t } = useTranslation();
  return (
    <nav className={styles.sections} aria-label={t('settings.sections')}>
      {SETTINGS_SECTIONS.map(({ id, name }) => (
        <UnstyledButton key={id} className={styles.sectionLink} onClick={() => scrollToSection(id)} data-testid={`settings-to-${id}`}>
          {t(name)}
        </UnstyledButton>
      ))}
    </nav>
  );
}

/** Shows the sections of the settings that contain all typed words, next to the list of all sections. */
function SettingsSearch({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const [query, setQuery] = useState('');
  const [isEmpty, setEmpty] = useState(false);
  const container = useRef<HTMLDivElement>(null);
  const { place } = useNavigation();
  // A place is a new object each time it's opened, so that the same section is scrolled to again.
  const opened = place.page === 'settings' ? place : null;
  useLayoutEffect(() => {
    if (opened?.section !== undefined) scrollToSection(opened.section);
  }, [opened]);
  useLayoutEffect(() => {
    const sections = [...(container.current?.children ?? [])].filter((one) => one instanceof HTMLElement);
    for (const section of sections) section.hidden = !matchesAll(textOf(section), query);
    setEmpty(sections.every((section) => section.hidden));
  }, [query]);
  return (
    <div className={styles.withSections}>
      {query.trim() === '' ? <SectionList /> : <span className={styles.sections} />}
      <div className={styles.found}>
        <TextInput
          className={styles.search}
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
          leftSection={<IconSearch size={14} aria-hidden />}
          rightSection={query !== '' && <CloseButton size="sm" onClick={() => setQuery('')} aria-label={t('settings.clearSearch')} />}
          placeholder={t('settings.search')}
          aria-label={t('settings.search')}
          data-testid="settings-search"
        />
        <div ref={container} className={styles.page}>
          {children}
        </div>
        {isEmpty && (
          <div role="status">
            <EmptyState
              picture="search"
              text={t('settings.noSetting', { query })}
              action={
                <Button variant="default" onClick={() => setQuery('')}>
                  {t('settings.clearSearch')}
                </Button>
              }
              testId="settings-nothing"
            />
          </div>
        )}
      </div>
    </div>
  );
}

/** Returns a section's visible text and the contents of its fields. */
function textOf(section: HTMLElement): string {
  const fields = [...section.querySelectorAll<HTMLInputElement>('input, textarea')];
  return [section.textContent, ...fields.map((field) => `${field.value} ${field.placeholder}`)].join(' ');
}

/** The receiver settings of the selected site. The receiver is started and stopped on the events page. */
function ReceiverSection() {
  const { data } = useReceiver();
  return data ? <ReceiverFields key={data.site} receiver={data} /> : null;
}

function ReceiverFields({ receiver }: { receiver: ReceiverView }) {
  const { t } = useTranslation();
  const siteName = useSiteName();
  const actions = useReceiverActions(receiver);
  return (
    <section className={styles.section} aria-labelledby="receiver">
      <h2 id="receiver">
        {t('receiver.name')} <span className="muted">{siteName(receiver.site)}</span>
      </h2>
      <div className={styles.receiver}>
        <ReceiverSettings receiver={receiver} actions={actions} />
      </div>
    </section>
  );
}

/** The settings: sites, secrets, receiver, appearance, team and about. */
export function SettingsPage() {
  const { t } = useTranslation();
  const isLoading = [useReceiver(), useTray(), useStorage(), useTeam()].some((query) => query.isLoading);
  const isFirstLoad = useFirstLoad(isLoading);
  // All sections appear together, so that none moves under the pointer.
  if (isFirstLoad) return <PageFrame title={t('settings.title')} />;
  return (
    <PageFrame title={t('settings.title')}>
      <SettingsSearch>
        <Sites />
        <Secrets />
        <ReceiverSection />
        <Appearance />
        <Storage />
        <Team />
        <About />
      </SettingsSearch>
    </PageFrame>
  );
}
