import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { ProblemNote } from '@/components/notices/ProblemNote';
import { toProblem } from '@/ipc/problem';
import styles from './help.module.css';
import { useHelpMatches } from './useHelpPages';

/** The pages that have all words that were typed. */
export function HelpMatches({ query, show }: { query: string; show: (page: string) => void }) {
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
