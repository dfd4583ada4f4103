import { buildSchema } from 'graphql';
import { afterEach, describe, expect, test, vi } from 'vitest';

import type { GraphqlDesk } from '@/ipc/bindings';
import { clearMocks, mockIPC } from '@/ipc/mocks';
import { engineFetcher } from './common/fetcher';
import { editorStorage } from './editor/editorStorage';
import { editorTheme, explorerColours, triplet } from './editor/editorTheme';
import { exampleQuery } from './editor/exampleQuery';

afterEach(clearMocks);

/** No colour: digits as the document would tell them. */
const hex = (digits: string) => `#${digits}`;

const state = (queries: string[], activeTabIndex: number) =>
  JSON.stringify({ tabs: queries.map((query) => ({ query, variables: null })), activeTabIndex });

describe('what is open', () => {
  const desk: GraphqlDesk = { tabs: [{ query: '{ a }', variables: '' }, { query: 'query B { b }', variables: '{}' }], active: 1 };

  test('is opened again', () => {
    const storage = editorStorage(desk, 'Untitled', () => undefined);
    expect([storage.getItem('graphiql:query'), storage.getItem('graphiql:variables')]).toEqual(['query B { b }', '{}']);
    const opened = JSON.parse(storage.getItem('graphiql:tabState') ?? '') as {
      tabs: { title: string }[];
      activeTabIndex: number;
    };
    expect([opened.tabs.map((tab) => tab.title), opened.activeTabIndex]).toEqual([['Untitled', 'B'], 1]);
    expect(editorStorage({ tabs: [], active: 0 }, 'Untitled', () => undefined).getItem('graphiql:tabState')).toBeNull();
  });

  test('is told when it changes, and only then', () => {
    const keep = vi.fn<(desk: GraphqlDesk) => void>();
    const storage = editorStorage(desk, 'Untitled', keep);
    storage.setItem('graphiql:query', '{ c }');
    storage.setItem('graphiql:tabState', JSON.stringify({ ...desk, activeTabIndex: 1 }));
    expect(keep).not.toHaveBeenCalled();
    storage.setItem('graphiql:tabState', state(['{ a }', '{ c }'], 0));
    storage.setItem('graphiql:tabState', state(['{ a }', '{ c }'], 0));
    expect(keep.mock.calls).toEqual([[{ tabs: [{ query: '{ a }', variables: '' }, { query: '{ c }', variables: '' }], active: 0 }]]);
    expect([localStorage.length, sessionStorage.length]).toEqual([0, 0]);
  });
});

describe('asking', () => {
  test('goes to the engine, and what is stopped is stopped there', async () => {
    const asked: unknown[] = [];
    mockIPC((command, payload) => {
      asked.push([command, payload]);
      return command === 'graphql_run' ? { id: 7 } : null;
    });
    const told: unknown[] = [];
    const fetcher = engineFetcher(() => (one) => told.push(one));
    const open = (query: string, next: () => void) => {
      const started = fetcher({ query, variables: { n: 1 } }) as unknown as {
        subscribe: (observer: unknown) => { unsubscribe: () => void };
      };
      return started.subscribe({ next, complete: () => undefined });
    };
    await new Promise<void>((done) => {
      open('{ a }', done);
    });
    expect(told).toEqual([{ answer: { id: 7 }, problem: null }]);
    expect(asked[0]).toMatchObject(['graphql_run', { request: { query: '{ a }', variables: { n: 1 } }, typed: { query: '{ a }' } }]);
    const next = vi.fn<() => void>();
    open('{ b }', next).unsubscribe();
    await new Promise((done) => setTimeout(done, 10));
    expect(next).not.toHaveBeenCalled();
    expect(asked.map((one) => (one as string[])[0])).toContain('ticket_stop');
  });
});

test('an exampleQuery asks for what needs no arguments', () => {
  const schema = buildSchema(`
    type Query { one(code: String!): Order  orders(limit: Int = 5): Page! }
    type Page { total: Int! items: [Order!]! }
    type Order { code: String! old: String @deprecated  area(kind: Int!): String  station: Station }
    type Station { code: String! }`);
  expect(exampleQuery(schema)).toBe('query Example {\n  orders {\n    total\n    items {\n      code\n    }\n  }\n}\n');
  expect(exampleQuery(buildSchema('type Query { a: Int }'))).toBeNull();
});

test('colours are those of the tokens', () => {
  expect([triplet(hex('ffffff')), triplet(hex('000000')), triplet(hex('ff0000')), triplet(hex('0b6173'))]).toEqual([
    '0, 0%, 100%',
    '0, 0%, 0%',
    '0, 100%, 50%',
    '190, 82.5%, 24.7%',
  ]);
  const token = (name: string) => (name === 'ground' ? hex('000000') : hex('ffffff'));
  expect(explorerColours({ look: 'dark', token })['--color-base']).toBe('0, 0%, 0%');
  const theme = editorTheme({ look: 'dark', token });
  expect([theme.base, theme.colors['editor.background'], theme.rules[0]?.foreground]).toEqual(['vs-dark', hex('000000'), 'ffffff']);
});
