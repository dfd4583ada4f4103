import { useQuery } from '@tanstack/react-query';
import { type GraphQLSchema, type IntrospectionQuery, buildClientSchema } from 'graphql';
import { type FormEvent, useCallback, useMemo, useState } from 'react';
import { ActionIcon, Button, Group, Menu, TextInput, UnstyledButton } from '@mantine/core';
import {
  IconBook2,
  IconBookmark,
  IconDots,
  IconHistory,
  IconPlayerPlay,
  IconPlayerStop,
  IconPlus,
  IconRefresh,
  IconTextWrap,
  IconX,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import type { TabProps } from '@/base/navigation';
import { queryClient } from '@/base/queryClient';
import { queryKeys } from '@/base/queryKeys';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { Dialog } from '@/components/page/Dialog';
import { PageFrame } from '@/components/page/PageFrame';
import { type GraphqlEditorState, type Problem, type StoredAnswer, commands } from '@/ipc/bindings';
import { problemTitle } from '@/base/engineTexts';
import { useFormats } from '@/base/useFormats';
import { toProblem } from '@/ipc/problem';
import { nextTicket } from '@/ipc/tickets';

import { SidePanel, type SidePanelName } from './SidePanel';
import { AnswerPane } from './AnswerPane';
import { setSaved, storedQueriesQuery } from './common/savedQueries';
import { type QuerySession, useQuerySession } from './common/useQuerySession';
import type { DocsPlace } from './docs/SchemaDocs';
import { exampleQuery } from './document/exampleQuery';
import { queryName } from './document/operations';
import { QueryEditors } from './editor/QueryEditors';
import styles from './common/graphql.module.css';

type SchemaReading = {
  /** Null until the schema is loaded, and if the site doesn't provide one. */
  schema: GraphQLSchema | null;
  /** The time at which the schema was read from the site. */
  at: string | null;
  types: number;
  /** Reasons why there is no schema: the site's messages, or a parse error. */
  reasons: string[];
  isUnavailable: boolean;
  busy: boolean;
  problem: Problem | null;
  reload: () => void;
};

/** Loads the site's stored schema. Reads it from the site if none is stored, and on demand. */
function useSchema(site: string): SchemaReading {
  const key = useMemo(() => queryKeys.graphqlSchema(site), [site]);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [reading, setReading] = useState(false);
  const { data, error, isPending } = useQuery({
    queryKey: key,
    queryFn: () => commands.graphqlSchema(false, nextTicket()),
    staleTime: Infinity,
  });
  const reload = useCallback(() => {
    setReading(true);
    commands
      .graphqlSchema(true, nextTicket())
      .then(
        (schema) => {
          setProblem(null);
          queryClient.setQueryData(key, schema);
        },
        (cause: unknown) => setProblem(toProblem(cause)),
      )
      .finally(() => setReading(false));
  }, [key]);
  const built = useMemo(() => parseSchema(data?.introspection), [data]);
  return {
    schema: built.schema,
    at: data?.at ?? null,
    types: built.schema ? Object.keys(built.schema.getTypeMap()).filter((name) => !name.startsWith('__')).length : 0,
    reasons: built.reason ? [built.reason] : (data?.reasons ?? []),
    isUnavailable: data !== undefined && built.schema === null,
    busy: isPending || reading,
    problem: problem ?? (error && !data ? toProblem(error) : null),
    reload,
  };
}

function parseSchema(introspection: unknown): { schema: GraphQLSchema | null; reason: string | null } {
  if (!introspection) return { schema: null, reason: null };
  try {
    // Suggestions also work with an invalid schema, so it isn't validated.
    return { schema: buildClientSchema(introspection as IntrospectionQuery, { assumeValid: true }), reason: null };
  } catch (cause) {
    return { schema: null, reason: cause instanceof Error ? cause.message : String(cause) };
  }
}

/** The schema's source and date, with a refresh button. */
function SchemaLine({ reading }: { reading: SchemaReading }) {
  const { t } = useTranslation();
  const { dateTime, number } = useFormats();
  const { at, types, isUnavailable, reasons, problem, busy, reload } = reading;
  const text = isUnavailable
    ? t('graphql.noSchema', { at: dateTime(at ?? '') })
    : at && t('graphql.schema', { types: number(types), at: dateTime(at) });
  return (
    <>
      <span data-testid="graphql-schema" title={reasons.join('\n') || undefined}>
        {text}
        {isUnavailable && reasons[0] && ` ${t('graphql.noSchemaWhy', { reason: reasons[0] })}`}
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
        onClick={reload}
        loading={busy}
        data-testid="graphql-schema-again"
      >
        {t('graphql.again')}
      </Button>
    </>
  );
}

type Props = { site: string; state: GraphqlEditorState; frame: TabProps };

/** Edits and runs queries for a site. The engine sends and stores them. */
export function GraphqlEditor({ site, state, frame }: Props) {
  const reading = useSchema(site);
  // Without stored queries, the first query is an example from the schema. So the editor waits for the schema.
  const isWaiting = state.tabs.length === 0 && reading.busy && !reading.schema && !reading.isUnavailable;
  return isWaiting ? null : <QueryWorkspace site={site} state={state} frame={frame} reading={reading} />;
}

/** The outcome of the latest query in one line. */
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

/** Runs the query or one of its operations. While a query is running, the button stops it. */
function RunButton({ session: { run, stop, running, operations } }: { session: QuerySession }) {
  const { t } = useTranslation();
  if (running) {
    return (
      <Button variant="default" leftSection={<IconPlayerStop size={16} aria-hidden />} onClick={stop} data-testid="graphql-stop">
        {t('graphql.stop')}
      </Button>
    );
  }
  const buttonProps = { leftSection: <IconPlayerPlay size={16} aria-hidden />, title: t('graphql.runKeys'), 'data-testid': 'graphql-run' };
  if (operations.length < 2) {
    return (
      <Button {...buttonProps} onClick={() => run()}>
        {t('graphql.run')}
      </Button>
    );
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button {...buttonProps}>{t('graphql.runWhich')}</Button>
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
  const titledTabs = tabs.map(({ id, query }) => ({ id, title: queryName(query) ?? t('graphql.untitled') }));
  return (
    <div className={styles.tabs} role="group" aria-label={t('graphql.tabs')}>
      {titledTabs.map(({ id, title }, at) => (
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

/** Saves the query under a name. */
function SaveQueryForm({ session: { site, tab }, close }: { session: QuerySession; close: () => void }) {
  const { t } = useTranslation();
  const { data: stored } = useQuery(storedQueriesQuery(site));
  const [name, setName] = useState(queryName(tab.query) ?? '');
  const [problem, setProblem] = useState<Problem | null>(null);
  const isNameTaken = stored?.saved.some((saved) => saved.name === name.trim());
  const save = (event: FormEvent) => {
    event.preventDefault();
    commands.graphqlSave(name, { query: tab.query, variables: tab.variables }).then(
      (saved) => {
        setSaved(site, saved);
        close();
      },
      (cause: unknown) => setProblem(toProblem(cause)),
    );
  };
  return (
    <Dialog title={t('graphql.saveTitle')} close={close}>
      <form onSubmit={save}>
        <TextInput
          label={t('graphql.name')}
          description={isNameTaken ? t('graphql.replaces') : undefined}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={200}
          data-autofocus
          data-testid="graphql-name"
        />
        {problem && <ProblemNote problem={problem} />}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={close}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" disabled={name.trim() === ''} data-testid="graphql-save-name">
            {t('graphql.save')}
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}

type ToolbarProps = { session: QuerySession; sidePanel: SidePanelName | null; setSidePanel: (sheet: SidePanelName | null) => void };

/** Actions for the query, and toggles for the side panels. */
function Toolbar({ session, sidePanel, setSidePanel }: ToolbarProps) {
  const { t } = useTranslation();
  const [saving, setSaving] = useState(false);
  const side = (name: SidePanelName, Icon: typeof IconBook2) => (
    <Button
      size="xs"
      variant={sidePanel === name ? 'light' : 'subtle'}
      aria-pressed={sidePanel === name}
      leftSection={<Icon size={16} aria-hidden />}
      onClick={() => setSidePanel(sidePanel === name ? null : name)}
      data-testid={`graphql-${name}`}
    >
      {t(`graphql.${name}`)}
    </Button>
  );
  return (
    <div className={styles.tools}>
      <Button
        size="xs"
        variant="subtle"
        title={t('graphql.prettifyKeys')}
        leftSection={<IconTextWrap size={16} aria-hidden />}
        onClick={() => void session.format()}
        data-testid="graphql-prettify"
      >
        {t('graphql.prettify')}
      </Button>
      <Button
        size="xs"
        variant="subtle"
        leftSection={<IconBookmark size={16} aria-hidden />}
        onClick={() => setSaving(true)}
        data-testid="graphql-save"
      >
        {t('graphql.save')}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon size="md" variant="subtle" aria-label={t('graphql.more')} data-testid="graphql-more">
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item rightSection={<kbd className={styles.keys}>{t('graphql.copyKeys')}</kbd>} onClick={() => void session.copy()} data-testid="graphql-copy">
            {t('graphql.copy')}
          </Menu.Item>
          <Menu.Item rightSection={<kbd className={styles.keys}>{t('graphql.mergeKeys')}</kbd>} onClick={session.merge} data-testid="graphql-merge">
            {t('graphql.merge')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {side('kept', IconHistory)}
      {side('docs', IconBook2)}
      {saving && <SaveQueryForm session={session} close={() => setSaving(false)} />}
    </div>
  );
}

/** The page: editors on the left, response in the middle, schema and saved queries on the right. */
function QueryWorkspace({ site, state, frame, reading }: Props & { reading: SchemaReading }) {
  const { schema } = reading;
  const example = useMemo(() => (schema && exampleQuery(schema)) ?? '', [schema]);
  const session = useQuerySession(site, state, example, schema);
  const [sidePanel, setSidePanel] = useState<SidePanelName | null>('docs');
  const [docs, setDocs] = useState<DocsPlace[]>([]);
  const [showDocs] = useState(() => (place: DocsPlace) => {
    setSidePanel('docs');
    setDocs(place.field ? [{ type: place.type }, place] : [place]);
  });
  return (
    <PageFrame
      title={frame.title}
      subtitle={<SchemaLine reading={reading} />}
      action={
        <>
          <RunButton session={session} />
          {frame.actions}
        </>
      }
      filter={
        <>
          <QueryTabs session={session} />
          <Toolbar session={session} sidePanel={sidePanel} setSidePanel={setSidePanel} />
        </>
      }
      status={<AnswerStatus answer={session.tab.outcome.answer} running={session.running} />}
      isFullWidth
    >
      <div className={styles.main} data-sheet={sidePanel !== null} data-testid="graphql-main">
        <QueryEditors session={session} schema={schema} showDocs={showDocs} />
        <AnswerPane session={session} />
        {sidePanel && <SidePanel session={session} schema={schema} docs={docs} setDocs={setDocs} content={sidePanel} close={() => setSidePanel(null)} />}
      </div>
    </PageFrame>
  );
}
