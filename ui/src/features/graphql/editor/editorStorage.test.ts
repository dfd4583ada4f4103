// @vitest-environment jsdom
import { describe, expect, test, vi } from 'vitest';

import type { GraphqlEditorState } from '@/ipc/bindings';
import { editorStorage } from './editorStorage';

const tabState = (queries: string[], activeTabIndex: number) =>
  JSON.stringify({ tabs: queries.map((query) => ({ query, variables: null })), activeTabIndex });

describe('what is open', () => {
  const state: GraphqlEditorState = { tabs: [{ query: '{ a }', variables: '' }, { query: 'query B { b }', variables: '{}' }], active: 1 };

  test('is opened again', () => {
    const storage = editorStorage(state, 'Untitled', () => undefined);
    expect([storage.getItem('graphiql:query'), storage.getItem('graphiql:variables')]).toEqual(['query B { b }', '{}']);
    const opened = JSON.parse(storage.getItem('graphiql:tabState') ?? '') as {
      tabs: { title: string }[];
      activeTabIndex: number;
    };
    expect([opened.tabs.map((tab) => tab.title), opened.activeTabIndex]).toEqual([['Untitled', 'B'], 1]);
    expect(editorStorage({ tabs: [], active: 0 }, 'Untitled', () => undefined).getItem('graphiql:tabState')).toBeNull();
  });

  test('is told when it changes, and only then', () => {
    const keep = vi.fn<(state: GraphqlEditorState) => void>();
    const storage = editorStorage(state, 'Untitled', keep);
    storage.setItem('graphiql:query', '{ c }');
    storage.setItem('graphiql:tabState', JSON.stringify({ ...state, activeTabIndex: 1 }));
    expect(keep).not.toHaveBeenCalled();
    storage.setItem('graphiql:tabState', tabState(['{ a }', '{ c }'], 0));
    storage.setItem('graphiql:tabState', tabState(['{ a }', '{ c }'], 0));
    expect(keep.mock.calls).toEqual([[{ tabs: [{ query: '{ a }', variables: '' }, { query: '{ c }', variables: '' }], active: 0 }]]);
    expect([localStorage.length, sessionStorage.length]).toEqual([0, 0]);
  });
});
