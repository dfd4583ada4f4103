import { useMemo, useState } from 'react';
import { ActionIcon, Button, Menu, UnstyledButton } from '@mantine/core';
import { IconPlayerPlay, IconPlayerStop, IconPlus, IconRefresh, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import type { TabProps } from '@/base/navigation';
import { PageFrame } from '@/components/page/PageFrame';
import type { GraphqlEditorState, StoredAnswer } from '@/ipc/bindings';
import { problemTitle } from '@/base/engineWords';
import { useFormats } from '@/base/useFormats';

import { SidePanel, type SidePanelName } from './SidePanel';
import { Toolbar } from './Toolbar';
import { AnswerPane } from './answer/AnswerPane';
import { type QuerySession, useQuerySession } from './common/useQuerySession';
import { type SchemaReading, useSchema } from './common/useSchema';
import type { DocsPlace } from './docs/SchemaDocs';
import { exampleQuery } from './document/exampleQuery';
import { nameOf } from './document/operations';
import { QueryEditors } from './editor/QueryEditors';
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

/** The last query's outcome in one line. */
function AnswerStatus({ answer, running }: { answer: StoredAnswer | null; running: boolean }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const list = answer?.lists[0];
  const status = answer && {
    milliseconds: number(answer.milliseconds),
    kilobytes: number(Math.ceil(answer.bytes / 1024)),
  };
  return (
    <span className="number" role="status" data-testid="graphql-status">
      {running && t('graphql.running')}
      {!running && status && t('graphql.answered', status)}
      {!running && list && ` · ${t('graphql.rows', { count: list.rows, rows: number(list.rows), path: list.path })}`}
      {!running && !status && t('graphql.keys')}
    </span>
  );
}

/** Runs the query or one of its operations, and stops a running one. */
function RunButton({ session: { run, stop, running, operations } }: { session: QuerySession }) {
  const { t } = useTranslation();
  if (running) {
    return (
      <Button variant="default" leftSection={<IconPlayerStop size={16} aria-hidden />} onClick={stop} data-testid="graphql-stop">
        {t('graphql.stop')}
      </Button>
    );
  }
  const face = { leftSection: <IconPlayerPlay size={16} aria-hidden />, title: t('graphql.runKeys'), 'data-testid': 'graphql-run' };
  if (operations.length < 2) {
    return (
      <Button {...face} onClick={() => run()}>
        {t('graphql.run')}
      </Button>
    );
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button {...face}>{t('graphql.runWhich')}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {operations.map((name) => (
          <Menu.Item key={name} onClick={() => run(name)} data-testid={`graphql-run-${name}`}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

const MAX_TABS = 20;

/** The open queries, each with its own response. */
function QueryTabs({ session: { tabs, active, add, select, close } }: { session: QuerySession }) {
  const { t } = useTranslation();
  const named = tabs.map(({ id, query }) => ({ id, title: nameOf(query) ?? t('graphql.untitled') }));
  return (
    <div className={styles.tabs} role="group" aria-label={t('graphql.tabs')}>
      {named.map(({ id, title }, at) => (
        <span key={id} className={styles.tab} data-active={at === active}>
          <UnstyledButton
            className={styles.tabName}
            aria-current={at === active ? 'true' : undefined}
            onClick={() => at !== active && select(at)}
            data-testid={`graphql-tab-${at}`}
          >
            {title}
          </UnstyledButton>
          {tabs.length > 1 && (
            <ActionIcon
              size="xs"
              variant="subtle"
              color="petrol"
              aria-label={t('graphql.closeTab', { name: title })}
              onClick={() => close(at)}
            >
              <IconX size={12} aria-hidden />
            </ActionIcon>
          )}
        </span>
      ))}
      <ActionIcon
        size="sm"
        variant="subtle"
        onClick={() => add()}
        disabled={tabs.length >= MAX_TABS}
        aria-label={t('graphql.addTab')}
        data-testid="graphql-add-tab"
      >
        <IconPlus size={16} aria-hidden />
      </ActionIcon>
    </div>
  );
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
