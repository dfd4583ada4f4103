import { ActionIcon, Button, UnstyledButton } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { GraphQLSchema } from 'graphql';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { DetailPanel } from '@/components/page/DetailPanel';
import { type TypedQuery, commands } from '@/ipc/bindings';
import { invalidateStoredQueries, setSaved, storedQueriesQuery } from './common/savedQueries';
import type { QuerySession } from './common/useQuerySession';
import { type DocsPlace, SchemaDocs } from './docs/SchemaDocs';
import styles from './common/graphql.module.css';

export type SidePanelName = 'docs' | 'kept';

/** Saved and recent queries, latest first. A click opens one in the editor. */
function SavedQueries({ session }: { session: QuerySession }) {
  const { site } = session;
  const { t } = useTranslation();
  const { dateTime } = useFormats();
  const { data: stored } = useQuery(storedQueriesQuery(site));
  if (!stored) return null;
  // A query opens in a new tab unless the active tab is empty, so that it doesn't replace typed text.
  const openQuery = (typed: TypedQuery) => {
    flushSync(() => (session.tab.query.trim() ? session.add(typed) : session.put(typed)));
    session.editor.current?.focus();
  };
  const removeSaved = (name: string) => commands.graphqlUnsave(name).then((saved) => setSaved(site, saved), showProblemNotice);
  const clearHistory = () => commands.graphqlForgetHistory().then(() => invalidateStoredQueries(site), showProblemNotice);
  return (
    <div className={styles.kept}>
      <h3>{t('graphql.saved')}</h3>
      {stored.saved.length === 0 && <p className="small muted">{t('graphql.noneSaved')}</p>}
      <ul aria-label={t('graphql.saved')} data-testid="graphql-saved">
        {stored.saved.map(({ name, typed }) => (
          <li key={name}>
            <UnstyledButton className={styles.past} onClick={() => openQuery(typed)}>
              {name}
            </UnstyledButton>
            <ActionIcon size="sm" variant="subtle" color="petrol" onClick={() => void removeSaved(name)} aria-label={t('graphql.unsave', { name })}>
              <IconTrash size={14} aria-hidden />
            </ActionIcon>
          </li>
        ))}
      </ul>
      <h3>{t('graphql.history')}</h3>
      {stored.history.length === 0 && <p className="small muted">{t('graphql.nonePast')}</p>}
      <ul aria-label={t('graphql.history')} data-testid="graphql-history">
        {stored.history.map(({ typed, at }) => (
          <li key={`${at} ${typed.query}`}>
            <UnstyledButton className={styles.past} onClick={() => openQuery(typed)}>
              <code>{firstLine(typed.query)}</code>
              <span className="small muted number">{dateTime(at)}</span>
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {stored.history.length > 0 && (
        <Button size="compact-xs" variant="subtle" onClick={() => void clearHistory()} data-testid="graphql-forget">
          {t('graphql.forget')}
        </Button>
      )}
    </div>
  );
}

/** Returns the query's first line with content. */
function firstLine(query: string): string {
  const lines = query.split('\n').map((line) => line.trim());
  const first = lines.find((line) => line !== '' && line !== '{' && !line.startsWith('#'));
  return first ?? query.trim();
}

type Props = {
  session: QuerySession;
  schema: GraphQLSchema | null;
  docs: DocsPlace[];
  setDocs: (docs: DocsPlace[]) => void;
  content: SidePanelName;
  close: () => void;
};

/** The panel on the right: the schema, or saved and recent queries. */
export function SidePanel({ session, schema, docs, setDocs, content, close }: Props) {
  const { t } = useTranslation();
  return (
    <DetailPanel title={t(`graphql.${content}`)} close={close}>
      {content === 'docs' ? <SchemaDocs schema={schema} trail={docs} setTrail={setDocs} /> : <SavedQueries session={session} />}
    </DetailPanel>
  );
}
