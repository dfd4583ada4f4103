import { ActionIcon, CloseButton, TextInput, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconList, IconSearch, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { usePageKeys } from '@/components/page/pageKeys';
import type { HelpGroup } from '@/ipc/bindings';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { toProblem } from '@/ipc/problem';

import { useHelp } from './HelpProvider';
import { HelpText } from './HelpText';
import styles from './help.module.css';
import { useHelpMatches, useHelpPages } from './useHelpPages';

/** The help pages that contain all typed words. */
function HelpMatches({ query, show }: { query: string; show: (page: string) => void }) {
  const { t } = useTranslation();
  const { data, error } = useHelpMatches(query);
  if (error) return <ProblemNote problem={toProblem(error)} />;
  if (!data) return null;
  return (
    <section aria-label={t('help.found', { count: data.length })}>
      <p className="muted small" role="status" data-testid="help-found">
        {data.length === 0 ? t('help.nothing', { query }) : t('help.found', { count: data.length })}
      </p>
      <ul className={styles.list}>
        {data.map((one) => (
          <li key={one.page}>
            <UnstyledButton className={styles.entry} onClick={() => show(one.page)} data-testid={`help-match-${one.page}`}>
              <span className={styles.title}>{one.title}</span>
              <span className={styles.line}>{one.line}</span>
            </UnstyledButton>
          </li>
        ))}
      </ul>
    </section>
  );
}

const HELP_GROUPS: readonly HelpGroup[] = ['task', 'screen', 'operation'];

/** All help pages, grouped by subject. */
function HelpList({ show }: { show: (page: string) => void }) {
  const { t } = useTranslation();
  const { data } = useHelpPages();
  return HELP_GROUPS.map((group) => (
    <section key={group} aria-labelledby={`help-${group}`}>
      <h3 id={`help-${group}`} className={styles.group}>
        {t(`help.groups.${group}`)}
      </h3>
      <ul className={styles.list}>
        {(data ?? [])
          .filter((one) => one.group === group)
          .map((one) => (
            <li key={one.page}>
              <UnstyledButton className={styles.entry} onClick={() => show(one.page)} data-testid={`help-page-${one.page}`}>
                {one.title}
              </UnstyledButton>
            </li>
          ))}
      </ul>
    </section>
  ));
}

/** The open help panel. Escape closes it. */
export function OpenHelp({ page }: { page: string | null }) {
  const { t } = useTranslation();
  const { open, close } = useHelp();
  const [query, setQuery] = useState('');
  const [searched] = useDebouncedValue(query.trim(), 150);
  const show = (next: string | null) => {
    setQuery('');
    open(next);
  };
  usePageKeys((event) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    if (query === '') close();
    else setQuery('');
  });
  return (
    <aside className={styles.panel} aria-label={t('help.title')} data-testid="help">
      <header className={styles.head}>
        <h2>{t('help.title')}</h2>
        <ActionIcon
          variant="subtle"
          color="petrol"
          onClick={() => show(null)}
          disabled={page === null && query === ''}
          aria-label={t('help.all')}
          title={t('help.all')}
          data-testid="help-all"
        >
          <IconList size={16} aria-hidden />
        </ActionIcon>
        <ActionIcon variant="subtle" color="petrol" onClick={close} aria-label={t('help.close')} title={t('help.close')} data-testid="help-close">
          <IconX size={16} aria-hidden />
        </ActionIcon>
      </header>
      <TextInput
        className={styles.search}
        value={query}
        onChange={(event) => setQuery(event.currentTarget.value)}
        leftSection={<IconSearch size={14} aria-hidden />}
        rightSection={query !== '' && <CloseButton size="sm" onClick={() => setQuery('')} aria-label={t('help.clear')} />}
        placeholder={t('help.search')}
        aria-label={t('help.search')}
        data-testid="help-search"
      />
      <div key={page} className={styles.body} tabIndex={0}>
        {searched !== '' ? <HelpMatches query={searched} show={show} /> : page === null ? <HelpList show={show} /> : <HelpText page={page} show={show} />}
      </div>
    </aside>
  );
}
