import { act, renderHook, waitFor } from '@testing-library/react';
import { buildSchema } from 'graphql';
import { afterEach, beforeEach, expect, test } from 'vitest';

import type { GraphqlEditorState } from '@/ipc/bindings';
import { mockIPC } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { useQuerySession } from './useQuerySession';

const stored: GraphqlEditorState = { tabs: [{ query: '{ a }', variables: '' }, { query: 'query B { b }', variables: '{}' }], active: 1 };

type Request = { command: string; args: Record<string, unknown> };

let requests: Request[] = [];
/** Functions that respond to the running queries. */
let answers: ((answer: unknown) => void)[] = [];

const argumentsOf = (command: string) => requests.filter((one) => one.command === command).map(({ args }) => args);

beforeEach(() => {
  requests = [];
  answers = [];
  mockIPC((command, args) => {
    requests.push({ command, args: args as Record<string, unknown> });
    return command === 'graphql_run' ? new Promise((answer) => answers.push(answer)) : null;
  });
});

afterEach(cleanUp);

function renderSession(state: GraphqlEditorState = stored, schema: ReturnType<typeof buildSchema> | null = null) {
  return renderHook(() => useQuerySession('works', state, 'query Example { a }', schema));
}

test('what was open is opened again, and an example where nothing was', () => {
  const { result } = renderSession();
  expect([result.current.tabs.map(({ query }) => query), result.current.active, result.current.tab.variables]).toEqual([['{ a }', 'query B { b }'], 1, '{}']);
  expect(renderSession({ tabs: [], active: 0 }).result.current.tabs.map(({ query }) => query)).toEqual(['query Example { a }']);
});

test('what is typed is stored when it changes, and only then', async () => {
  const { result, unmount } = renderSession();
  act(() => result.current.edit({ query: '{ c }' }));
  act(() => result.current.select(0));
  await waitFor(() => expect(argumentsOf('graphql_editor_save')).toHaveLength(1));
  expect(argumentsOf('graphql_editor_save')).toEqual([
    { site: 'works', editor: { tabs: [{ query: '{ a }', variables: '' }, { query: '{ c }', variables: '{}' }], active: 0 } },
  ]);
  // Text typed just before the page closes is stored.
  act(() => result.current.edit({ variables: '{"n": 1}' }));
  unmount();
  await waitFor(() => expect(argumentsOf('graphql_editor_save')).toHaveLength(2));
  expect(argumentsOf('graphql_editor_save')[1]).toMatchObject({ editor: { tabs: [{ variables: '{"n": 1}' }, {}] } });
  expect([localStorage.length, sessionStorage.length]).toEqual([0, 0]);
});

test('a query goes to the engine, and its answer to the tab that asked', async () => {
  const { result } = renderSession();
  act(() => result.current.edit({ variables: '{ "n": 1, // one\n }' }));
  act(() => result.current.run());
  expect(result.current.running).toBe(true);
  await waitFor(() => expect(answers).toHaveLength(1));
  expect(argumentsOf('graphql_run')[0]).toMatchObject({
    request: { query: 'query B { b }', variables: { n: 1 }, operationName: null },
    typed: { query: 'query B { b }', variables: '{ "n": 1, // one\n }' },
  });
  await act(async () => answers[0]?.({ id: 7 }));
  expect(result.current.running).toBe(false);
  expect(result.current.tabs.map(({ outcome }) => outcome)).toEqual([
    { answer: null, problem: null },
    { answer: { id: 7 }, problem: null },
  ]);
});

test('what is stopped is stopped in the engine, and its late answer replaces no later one', async () => {
  const { result } = renderSession();
  act(() => result.current.run());
  await waitFor(() => expect(answers).toHaveLength(1));
  act(() => result.current.stop());
  expect(result.current.running).toBe(false);
  await waitFor(() => expect(argumentsOf('ticket_stop')).toEqual([{ ticket: argumentsOf('graphql_run')[0]?.['ticket'] }]));
  act(() => result.current.run());
  await waitFor(() => expect(answers).toHaveLength(2));
  await act(async () => answers[1]?.({ id: 2 }));
  await act(async () => answers[0]?.({ id: 1 }));
  expect(result.current.tab.outcome.answer).toEqual({ id: 2 });
});

test('what was typed just before the key is what runs', async () => {
  const { result } = renderSession();
  const { edit, run } = result.current;
  act(() => {
    edit({ query: 'query New { c }' });
    run();
  });
  await waitFor(() => expect(argumentsOf('graphql_run')[0]).toMatchObject({ request: { query: 'query New { c }', operationName: null } }));
});

test('another tab in front stops what runs, and so does running again', async () => {
  const { result } = renderSession();
  act(() => result.current.run());
  act(() => result.current.select(0));
  expect(result.current.running).toBe(false);
  act(() => result.current.run());
  act(() => result.current.run());
  expect(result.current.running).toBe(false);
  await waitFor(() => expect(argumentsOf('ticket_stop')).toHaveLength(2));
});

test('variables that are no JSON are the engine\'s to refuse', async () => {
  const { result } = renderSession();
  act(() => result.current.edit({ variables: '{ "n": ' }));
  act(() => result.current.run());
  await waitFor(() => expect(argumentsOf('graphql_run')).toHaveLength(1));
  expect(argumentsOf('graphql_run')[0]).toMatchObject({ request: { variables: '{ "n":' } });
});

test('one of several operations runs, and again the same one', async () => {
  const { result } = renderSession({ tabs: [{ query: 'query One { a } query Two { b }', variables: '' }], active: 0 });
  expect(result.current.operations).toEqual(['One', 'Two']);
  act(() => result.current.run('Two'));
  await waitFor(() => expect(answers).toHaveLength(1));
  await act(async () => answers[0]?.({ id: 1 }));
  act(() => result.current.run());
  await waitFor(() => expect(answers).toHaveLength(2));
  expect(argumentsOf('graphql_run').map(({ request }) => (request as { operationName: string }).operationName)).toEqual(['Two', 'Two']);
});

test('a field without a selection gets one before it is sent, in the editor too', async () => {
  const schema = buildSchema('type Query { page: Page } type Page { total: Int }');
  const { result } = renderSession({ tabs: [{ query: '{ page }', variables: '' }], active: 0 }, schema);
  act(() => result.current.run());
  expect([result.current.tab.query, result.current.tab.revision]).toEqual(['{ page {\n  total\n} }', 1]);
  await waitFor(() => expect(argumentsOf('graphql_run')[0]).toMatchObject({ request: { query: '{ page {\n  total\n} }' } }));
});

test('tabs are opened and closed, and a text is laid out and merged', async () => {
  const { result } = renderSession();
  act(() => result.current.add());
  act(() => result.current.put({ query: '{ a { ...F } } fragment F on A { b }' }));
  act(() => result.current.merge());
  expect([result.current.active, result.current.tab.query]).toEqual([2, '{\n  a {\n    ... on A {\n      b\n    }\n  }\n}']);
  act(() => result.current.edit({ query: '{a{b}}', variables: '{"n":1}' }));
  await act(async () => result.current.format());
  expect(result.current.tab).toMatchObject({ query: '{\n  a {\n    b\n  }\n}\n', variables: '{\n  "n": 1\n}' });
  act(() => result.current.close(0));
  expect([result.current.active, result.current.tabs.length]).toEqual([1, 2]);
  act(() => result.current.close(1));
  expect([result.current.active, result.current.tab.query]).toEqual([0, 'query B { b }']);
});
