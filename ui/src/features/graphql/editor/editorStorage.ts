import type { GraphqlEditorState, TypedQuery } from '@/ipc/bindings';

/** GraphiQL's names for what it keeps. */
const prefix = 'graphiql:';
const tabs = `${prefix}tabState`;

type Tab = { query: string | null; variables: string | null };

/**
 * What GraphiQL takes for a storage: it begins with what the engine kept, and tells which tabs are open. The browser's own
 * storage isn't touched.
 */
export function editorStorage(state: GraphqlEditorState, untitled: string, store: (state: GraphqlEditorState) => void): Storage {
  const entries = new Map<string, string>();
  let last = JSON.stringify(state);
  const front = state.tabs[state.active] ?? state.tabs[0];
  if (front) {
    entries.set(tabs, opened(state, untitled));
    entries.set(`${prefix}query`, front.query);
    entries.set(`${prefix}variables`, front.variables);
  }
  return {
    get length() {
      return entries.size;
    },
    key: (at) => [...entries.keys()][at] ?? null,
    getItem: (name) => entries.get(name) ?? null,
    removeItem: (name) => void entries.delete(name),
    clear: () => entries.clear(),
    setItem: (name, value) => {
      entries.set(name, value);
      const next = name === tabs ? read(value) : null;
      const text = JSON.stringify(next);
      if (!next || text === last) return;
      last = text;
      store(next);
    },
  };
}

/** The kept tabs as GraphiQL writes them. */
function opened(state: GraphqlEditorState, title: string): string {
  const each = state.tabs.map(({ query, variables }, at) => ({
    id: `kept-${at}`,
    hash: null,
    title: /^[^#]*\bquery\s+(\w+)/mu.exec(query)?.[1] ?? title,
    query,
    variables,
    headers: null,
    operationName: null,
    response: null,
  }));
  return JSON.stringify({ tabs: each, activeTabIndex: Math.min(state.active, each.length - 1) });
}

function read(text: string): GraphqlEditorState | null {
  const state = JSON.parse(text) as { tabs: Tab[]; activeTabIndex: number };
  const typed = ({ query, variables }: Tab): TypedQuery => ({ query: query ?? '', variables: variables ?? '' });
  return { tabs: state.tabs.map(typed), active: state.activeTabIndex };
}
