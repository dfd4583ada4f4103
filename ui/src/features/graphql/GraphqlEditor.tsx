import { useMemo, useState } from 'react';
import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import type { TabProps } from '@/base/navigation';
import { PageFrame } from '@/components/page/PageFrame';
import type { GraphqlEditorState } from '@/ipc/bindings';
import { problemTitle } from '@/base/engineWords';
import { useFormats } from '@/base/useFormats';

import { SidePanel, type SidePanelName } from './SidePanel';
import { Toolbar } from './Toolbar';
import { AnswerPane } from './answer/AnswerPane';
import { AnswerStatus } from './answer/AnswerStatus';
import { useQuerySession } from './common/useQuerySession';
import { type SchemaReading, useSchema } from './common/useSchema';
import type { DocsPlace } from './docs/SchemaDocs';
import { exampleQuery } from './document/exampleQuery';
import { QueryEditors } from './editor/QueryEditors';
import { QueryTabs } from './editor/QueryTabs';
import { RunButton } from './editor/RunButton';
import styles from './common/graphql.module.css';

/** The schema's source and date, with a refresh button. */
function SchemaLine({ reading }: { reading: SchemaReading }) {
  const { t } = useTranslation();
  const { moment, number } = useFormats();
  const { at, types, silent, reasons, problem, busy, again } = reading;
  const text = silent
    ? t('graphql.noSchema', { at: moment(at ?? '') })
    : at && t('graphql.schema', { types: number(types), at: moment(at) });
  return (
    <>
      <span data-testid="graphql-schema" title={reasons.join('\n') || undefined}>
        {text}
        {silent && reasons[0] && ` ${t('graphql.noSchemaWhy', { reason: reasons[0] })}`}
      </span>
      {problem && (
        <span role="alert" data-testid="graphql-schema-problem">
          {problemTitle(problem)}
        </span>
      )}
      <Button
        size="compact-xs"
        variant="subtle"
        leftSection={<IconRefresh size={14} aria-hidden />}
        onClick={again}
        loading={busy}
        data-testid="graphql-schema-again"
      >
        {t('graphql.again')}
      </Button>
    </>
  );
}

type Props = { site: string; state: GraphqlEditorState; frame: TabProps };

/** Queries for the site's schema. The engine sends and stores them. */
export function GraphqlEditor({ site, state, frame }: Props) {
  const reading = useSchema(site);
  // The initial query is an example from the schema.
  const waits = state.tabs.length === 0 && reading.busy && !reading.schema && !reading.silent;
  return waits ? null : <Queries site={site} state={state} frame={frame} reading={reading} />;
}

/** The page: editors on the left, response in the middle, schema and saved queries on the right. */
function Queries({ site, state, frame, reading }: Props & { reading: SchemaReading }) {
  const { schema } = reading;
  const example = useMemo(() => (schema && exampleQuery(schema)) ?? '', [schema]);
  const session = useQuerySession(site, state, example, schema);
  const [sheet, setSheet] = useState<SidePanelName | null>('docs');
  const [docs, setDocs] = useState<DocsPlace[]>([]);
  const [showDocs] = useState(() => (place: DocsPlace) => {
    setSheet('docs');
    setDocs(place.field ? [{ type: place.type }, place] : [place]);
  });
  return (
    <PageFrame
      title={frame.title}
      aside={<SchemaLine reading={reading} />}
      action={
        <>
          <RunButton session={session} />
          {frame.actions}
        </>
      }
      filter={
        <>
          <QueryTabs session={session} />
          <Toolbar session={session} sheet={sheet} setSheet={setSheet} />
        </>
      }
      status={<AnswerStatus answer={session.tab.outcome.answer} running={session.running} />}
      edge
    >
      <div className={styles.main} data-sheet={sheet !== null} data-testid="graphql-main">
        <QueryEditors session={session} schema={schema} showDocs={showDocs} />
        <AnswerPane session={session} />
        {sheet && <SidePanel session={session} schema={schema} docs={docs} setDocs={setDocs} sheet={sheet} close={() => setSheet(null)} />}
      </div>
    </PageFrame>
  );
}
