import { ActionIcon, CloseButton, TextInput, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconList, IconSearch, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import createPurifier, { type Config } from 'dompurify';
import { type MouseEvent, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useSite } from '@/base/appState';
import { usePreferences } from '@/base/preferences';
import { queryKeys } from '@/base/queryKeys';
import { EmptyState } from '@/components/page/EmptyState';
import { usePageKeys } from '@/components/page/pageKeys';
import { type HelpGroup, commands } from '@/ipc/bindings';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { toProblem } from '@/ipc/problem';

import { useHelp } from './HelpProvider';
import styles from './help.module.css';

/** Returns the settings that help pages depend on. The site matters because its contract is documented. */
function useHelpKey() {
  const { language } = usePreferences();
  return { language, site: useSite()?.site.name };
}

function useHelpPages() {
  const { language, site } = useHelpKey();
  return useQuery({ queryKey: queryKeys.helpPages(site, language), queryFn: () => commands.helpPages(language) });
}

function useHelpPage(page: string) {
  const { language, site } = useHelpKey();
  return useQuery({ queryKey: queryKeys.helpPage(site, language, page), queryFn: () => commands.helpPage(page, language) });
}

function useHelpMatches(query: string) {
  const { language, site } = useHelpKey();
  return useQuery({
    queryKey: queryKeys.helpMatches(site, language, query),
    queryFn: () => commands.helpSearch(query, language),
    placeholderData: (before) => before,
  });
}

/** Lists the help pages that contain all typed words. */
function HelpMatches({ query, show }: { query: string; show: (page: string) => void }) {
  const { t } = useTranslation();
  const { data, error } = useHelpMatches(query);
  if (error) return <ProblemNote problem={toProblem(error)} />;
  if (!data) return null;
  return (
    <section aria-label={t('help.found', { count: data.length })}>
      <div className="muted small" role="status" data-testid="help-found">
        {data.length === 0 ? <EmptyState picture="search" text={t('help.nothing', { query })} /> : t('help.found', { count: data.length })}
      </div>
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

/** One help page. Its links open other help pages here. */
function HelpText({ page, show }: { page: string; show: (page: string) => void }) {
  const { t } = useTranslation();
  const { data, error } = useHelpPage(page);
  if (error) return <ProblemNote problem={toProblem(error)} />;
  if (data === undefined) return null;
  if (data === null) return <p data-testid="help-unknown">{t('help.unknown')}</p>;
  return <HelpDocument html={data.html} page={page} show={show} />;
}

/** Prefix of a page ID in links. A plain `#` would be a link to another part of the window. */
const PAGE_PREFIX = './#';

/** Allowed markup of a help page. The page contains names from the site, so it isn't trusted. */
const ALLOWED_MARKUP: Config = {
  ALLOWED_TAGS: ['a', 'blockquote', 'br', 'code', 'em', 'h1', 'h2', 'h3', 'img', 'li', 'ol', 'p', 'pre', 'strong', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul'],
  ALLOWED_ATTR: ['href', 'src', 'alt'],
  ALLOW_ARIA_ATTR: false,
  ALLOW_DATA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:\.\/#|data:image\/png;base64,)/u,
};

/** Sanitizes a help page. Its links can only open other help pages. */
function sanitizeHelp(html: string): DocumentFragment {
  return createPurifier(window).sanitize(html, { ...ALLOWED_MARKUP, RETURN_DOM_FRAGMENT: true });
}

function HelpDocument({ html, page, show }: { html: string; page: string; show: (page: string) => void }) {
  const container = useRef<HTMLElement>(null);
  useLayoutEffect(() => container.current?.replaceChildren(sanitizeHelp(html)), [html]);
  const follow = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const target = link?.getAttribute('href');
    if (!target?.startsWith(PAGE_PREFIX)) return;
    event.preventDefault();
    show(target.slice(PAGE_PREFIX.length));
  };
  // Only the links in the text react to clicks, and they are accessible by keyboard.
  // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
  return <article ref={container} className={styles.text} onClick={follow} data-testid="help-text" data-page={page} />;
}

/** The open help panel. Escape closes it. */
export function HelpContent({ page }: { page: string | null }) {
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
