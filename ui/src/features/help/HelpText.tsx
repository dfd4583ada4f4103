import { type MouseEvent, useLayoutEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';

import { ProblemNote } from '@/components/notices/ProblemNote';
import { toProblem } from '@/ipc/problem';
import styles from './help.module.css';
import { helpDocument, PAGE_PREFIX } from './helpDocument';
import { useHelpPage } from './useHelpPages';

/** One help page. Its links open other help pages here. */
export function HelpText({ page, show }: { page: string; show: (page: string) => void }) {
  const { t } = useTranslation();
  const { data, error } = useHelpPage(page);
  if (error) return <ProblemNote problem={toProblem(error)} />;
  if (data === undefined) return null;
  if (data === null) return <p data-testid="help-unknown">{t('help.unknown')}</p>;
  return <Document html={data.html} page={page} show={show} />;
}

function Document({ html, page, show }: { html: string; page: string; show: (page: string) => void }) {
  const container = useRef<HTMLElement>(null);
  useLayoutEffect(() => container.current?.replaceChildren(helpDocument(html)), [html]);
  const follow = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const target = link?.getAttribute('href');
    if (!target?.startsWith(PAGE_PREFIX)) return;
    event.preventDefault();
    show(target.slice(PAGE_PREFIX.length));
  };
  // Only links handle clicks, and links are accessible by keyboard.
  // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
  return <article ref={container} className={styles.text} onClick={follow} data-testid="help-text" data-page={page} />;
}
