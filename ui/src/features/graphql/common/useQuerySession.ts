import type { EditorView } from '@codemirror/view';
import { useDebouncedCallback } from '@mantine/hooks';
import type { GraphQLSchema } from 'graphql';
import { useEffect, useMemo, useRef, useState } from 'react';

import { type GraphqlEditorState, type Problem, type StoredAnswer, type TypedQuery, type Value, commands } from '@/ipc/bindings';
import { copyText } from '@/ipc/clipboard';
import { toProblem } from '@/ipc/problem';
import { nextTicket } from '@/ipc/tickets';
import { withSelections } from '../document/exampleQuery';
import { formatJson, formatQuery, parseVariables } from '../document/format';
import { mergeFragments } from '../document/mergeFragments';
import { operationNames, operationToRun } from '../document/operations';
import { invalidateStoredQueries } from './savedQueries';

/** The response or error of a tab's latest query. Both are null before the first one. */
export type QueryOutcome = { answer: StoredAnswer | null; problem: Problem | null };

export type QueryTab = TypedQuery & {
  id: string;
  /** Number of changes that weren't typed. A change of it replaces the editor's text. */
  revision: number;
  /** The operation that ran last, if there are several. */
  operation: string | null;
  outcome: QueryOutcome;
};

type SessionState = {
  tabs: QueryTab[];
  active: number;
  /** The ticket of the running query, null if none is running. */
  running: number | null;
};

const SAVE_DELAY = 500;
const NO_OUTCOME: QueryOutcome = { answer: null, problem: null };

/** The state and actions of a site's open queries. */
export type QuerySession = ReturnType<typeof useQuerySession>;

/** Edits, stores and runs a site's queries. It starts with the stored tabs, or with the query `first` if there are none. */
export function useQuerySession(site: string, stored: GraphqlEditorState, first: string, schema: GraphQLSchema | null) {
  const [state, setState] = useState<SessionState>(() => initialState(stored, first));
  // A key may be pressed before the last edit is rendered, so actions read this value instead of `state`.
  const current = useRef(state);
  // The ticket of each tab's latest query. Responses to earlier ones are ignored.
  const latestTickets = useRef(new Map<string, number>());
  const editor = useRef<EditorView>(null);
  const tab = activeTab(state);
  useStoreEdits(site, stored, state);

  const update = (next: (state: SessionState) => SessionState) => {
    current.current = next(current.current);
    setState(current.current);
  };
  const change = (id: string, next: (tab: QueryTab) => QueryTab) =>
    update((all) => ({ ...all, tabs: all.tabs.map((one) => (one.id === id ? next(one) : one)) }));
  const edit = (typed: Partial<TypedQuery>) => change(activeTab(current.current).id, (one) => ({ ...one, ...typed }));
  const replace = (typed: Partial<TypedQuery>) => change(activeTab(current.current).id, (one) => ({ ...one, ...typed, revision: one.revision + 1 }));
  const stop = () => {
    const { running } = current.current;
    if (running === null) return;
    update((all) => ({ ...all, running: null }));
    void commands.ticketStop(running).catch(() => undefined);
  };
  const start = (wanted: string | null | undefined) => {
    const { id, query: typed, variables, operation: before } = activeTab(current.current);
    const query = schema ? withSelections(schema, typed) : typed;
    const operation = operationToRun(query, wanted ?? before);
    const ticket = nextTicket();
    const report = (outcome: QueryOutcome) => {
      update((all) => ({ ...all, running: all.running === ticket ? null : all.running }));
      if (latestTickets.current.get(id) === ticket) change(id, (one) => ({ ...one, outcome }));
      invalidateStoredQueries(site);
    };
    latestTickets.current.set(id, ticket);
    if (query !== typed) replace({ query });
    change(id, (one) => ({ ...one, operation }));
    update((all) => ({ ...all, running: ticket }));
    const request = { query, variables: parseVariables(variables) as Value, operationName: operation };
    commands.graphqlRun(request, { query, variables }, ticket).then(
      (answer) => report({ answer, problem: null }),
      (cause: unknown) => report({ answer: null, problem: toProblem(cause) }),
    );
  };
  return {
    site,
    editor,
    tabs: state.tabs,
    active: state.active,
    tab,
    running: state.running !== null,
    operations: useMemo(() => operationNames(tab.query), [tab.query]),
    edit,
    put: replace,
    select: (at: number) => {
      stop();
      update((all) => ({ ...all, active: at }));
    },
    add: (typed: TypedQuery = { query: '', variables: '' }) => {
      stop();
      update((all) => ({ ...all, tabs: [...all.tabs, newTab(typed)], active: all.tabs.length }));
    },
    close: (at: number) => {
      if (at === current.current.active) stop();
      update((all) => ({ ...all, tabs: all.tabs.filter((_, one) => one !== at), active: at > all.active ? all.active : Math.max(all.active - 1, 0) }));
    },
    /** Runs the query, or the named operation if there are several. If a query is running, stops it instead. */
    run: (wanted?: string | null) => (current.current.running === null ? start(wanted) : stop()),
    stop,
    format: async () => {
      const { id, query } = activeTab(current.current);
      const formatted = await formatQuery(query);
      // The formatted text is discarded if you have typed in the meantime.
      change(id, (one) => (one.query === query ? { ...one, query: formatted, variables: formatJson(one.variables), revision: one.revision + 1 } : one));
    },
    merge: () => replace({ query: mergeFragments(schema, activeTab(current.current).query) }),
    copy: () => copyText(activeTab(current.current).query),
  };
}

let tabCount = 0;

function newTab({ query, variables }: TypedQuery): QueryTab {
  tabCount += 1;
  return { id: `tab-${tabCount}`, query, variables, revision: 0, operation: null, outcome: NO_OUTCOME };
}

function initialState({ tabs, active }: GraphqlEditorState, first: string): SessionState {
  const typed = tabs.length > 0 ? tabs : [{ query: first, variables: '' }];
  return { tabs: typed.map(newTab), active: Math.min(active, typed.length - 1), running: null };
}

/** Returns the active tab. There is always one. */
function activeTab({ tabs, active }: SessionState): QueryTab {
  return tabs[active] as QueryTab;
}

/** Stores edits after a delay, or at once when the page closes. */
function useStoreEdits(site: string, stored: GraphqlEditorState, { tabs, active }: SessionState): void {
  const last = useRef(JSON.stringify(stored));
  const text = JSON.stringify({ tabs: tabs.map(({ query, variables }) => ({ query, variables })), active } satisfies GraphqlEditorState);
  const store = useDebouncedCallback(
    (next: string) => {
      if (next === last.current) return;
      last.current = next;
      void commands.graphqlEditorSave(site, JSON.parse(next) as GraphqlEditorState).catch(() => undefined);
    },
    { delay: SAVE_DELAY, flushOnUnmount: true },
  );
  useEffect(() => store(text), [store, text]);
}
