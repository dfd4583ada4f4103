import './editor/workers';
import '@graphiql/react/style.css';
import '@graphiql/plugin-doc-explorer/style.css';

import { DocExplorerStore } from '@graphiql/plugin-doc-explorer';
import { GraphiQLProvider } from '@graphiql/react';
import { type CSSProperties, useCallback, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { TabProps } from '@/base/navigation';
import { type GraphqlEditorState, commands } from '@/ipc/bindings';
import { EditorLayout } from './EditorLayout';
import { type QueryOutcome, engineFetcher } from './common/fetcher';
import { editorStorage } from './editor/editorStorage';
import { exampleQuery } from './editor/exampleQuery';
import { keptChanged } from './common/savedQueries';
import { documentTokens, explorerColours, themeName } from './editor/editorTheme';
import { useLook } from './editor/useLook';
import { useSchema } from './common/useSchema';
import styles from './common/graphql.module.css';

const editorTheme = { light: themeName, dark: themeName };

type Props = { site: string; state: GraphqlEditorState; frame: TabProps };

/** GraphiQL's editor on the site's schema. It asks through the engine and keeps what is typed there. */
export function GraphqlEditor({ site, state, frame }: Props) {
  const { t } = useTranslation();
  const look = useLook();
  const reading = useSchema(site);
  const [outcomes, setOutcomes] = useState<Record<string, QueryOutcome>>({});
  // Which tab stands in front, for whoever asks from outside React.
  const front = useRef('');
  const fetcher = useMemo(
    () =>
      engineFetcher(() => {
        const tab = front.current;
        return (one) => {
          setOutcomes((all) => ({ ...all, [tab]: one }));
          keptChanged(site);
        };
      }),
    [site],
  );
  const [storage] = useState(() =>
    editorStorage(state, t('graphql.untitled'), (next) => void commands.graphqlEditorSave(site, next).catch(() => undefined)),
  );
  const inFront = useCallback((tab: string) => {
    front.current = tab;
  }, []);
  const colours = useMemo(() => explorerColours(documentTokens(look)) as CSSProperties, [look]);
  // The editor reads its first query when it is made.
  if (reading.busy && !reading.schema && !reading.silent) return null;
  return (
    <GraphiQLProvider
      fetcher={fetcher}
      schema={reading.schema}
      storage={storage}
      defaultQuery={(reading.schema && exampleQuery(reading.schema)) ?? ''}
      defaultTheme={look === 'dark' ? 'dark' : 'light'}
      editorTheme={editorTheme}
      dangerouslyAssumeSchemaIsValid
    >
      <DocExplorerStore>
        <div className={`graphiql-container ${styles.editor}`} style={colours}>
          <EditorLayout site={site} frame={frame} reading={reading} outcomes={outcomes} inFront={inFront} />
        </div>
      </DocExplorerStore>
    </GraphiQLProvider>
  );
}
