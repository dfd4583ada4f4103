import type { EditorView } from '@codemirror/view';
import type { GraphQLSchema } from 'graphql';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { CodeEditor } from '../code/CodeEditor';
import type { QuerySession } from '../common/useQuerySession';
import type { DocsPlace } from '../docs/SchemaDocs';
import { operationAt, withoutSelections } from '../document/operations';
import { queryLanguage } from './queryLanguage';
import { variablesLanguage } from './variablesLanguage';
import styles from '../common/graphql.module.css';

type Props = { session: QuerySession; schema: GraphQLSchema | null; showDocs: (place: DocsPlace) => void };

/** The editors of the query and its variables. */
export function QueryEditors({ session, schema, showDocs }: Props) {
  const { t } = useTranslation();
  const { tab, edit, editor } = session;
  const keys = {
    'Mod-Enter': () => session.run(),
    'Ctrl-Shift-p': () => void session.format(),
    'Ctrl-Shift-m': session.merge,
    'Ctrl-Shift-c': () => void session.copy(),
  };
  const queryKeys = {
    ...keys,
    // If there are several operations, the operation at the cursor runs.
    'Mod-Enter': ({ state }: EditorView) => session.run(operationAt(state.doc.toString(), state.selection.main.head) ),
  };
  const query = useMemo(() => queryLanguage(schema, showDocs), [schema, showDocs]);
  const declared = useMemo(() => withoutSelections(tab.query), [tab.query]);
  const variables = useMemo(() => variablesLanguage(schema, declared, t), [schema, declared, t]);
  return (
    <section className={styles.asked} aria-label={t('graphql.asked')}>
      <div className={styles.query}>
        <CodeEditor
          key={tab.id}
          ref={editor}
          label={t('graphql.query')}
          text={tab.query}
          revision={String(tab.revision)}
          change={(text) => edit({ query: text })}
          extension={query}
          keys={queryKeys}
          testId="graphql-query"
        />
      </div>
      <h2 className={styles.caption}>{t('graphql.variables')}</h2>
      <div className={styles.variables}>
        <CodeEditor
          key={tab.id}
          label={t('graphql.variables')}
          text={tab.variables}
          revision={String(tab.revision)}
          change={(text) => edit({ variables: text })}
          extension={variables}
          keys={keys}
          testId="graphql-variables"
        />
      </div>
    </section>
  );
}
