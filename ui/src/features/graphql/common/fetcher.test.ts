// @vitest-environment jsdom
import { afterEach, describe, expect, test, vi } from 'vitest';

import { clearMocks, mockIPC } from '@/ipc/mocks';
import { engineFetcher } from './fetcher';

afterEach(clearMocks);

describe('asking', () => {
  test('goes to the engine, and what is stopped is stopped there', async () => {
    const requests: unknown[] = [];
    mockIPC((command, payload) => {
      requests.push([command, payload]);
      return command === 'graphql_run' ? { id: 7 } : null;
    });
    const outcomes: unknown[] = [];
    const fetcher = engineFetcher(() => (one) => outcomes.push(one));
    const open = (query: string, next: () => void) => {
      const started = fetcher({ query, variables: { n: 1 } }) as unknown as {
        subscribe: (observer: unknown) => { unsubscribe: () => void };
      };
      return started.subscribe({ next, complete: () => undefined });
    };
    await new Promise<void>((done) => {
      open('{ a }', done);
    });
    expect(outcomes).toEqual([{ answer: { id: 7 }, problem: null }]);
    expect(requests[0]).toMatchObject(['graphql_run', { request: { query: '{ a }', variables: { n: 1 } }, typed: { query: '{ a }' } }]);
    const next = vi.fn<() => void>();
    open('{ b }', next).unsubscribe();
    await new Promise((done) => setTimeout(done, 10));
    expect(next).not.toHaveBeenCalled();
    expect(requests.map((one) => (one as string[])[0])).toContain('ticket_stop');
  });

  test.each([
    ['query New { a }', 'Old', null],
    ['query New { a }', 'New', 'New'],
    ['query One { a } query Two { b }', 'Two', 'Two'],
    ['{ a }', null, null],
    ['query {', 'Old', null],
  ])('sends %j with the name %j as %j', async (query, operationName, sent) => {
    const requests: unknown[] = [];
    mockIPC((_, payload) => {
      requests.push(payload);
      return { id: 7 };
    });
    const started = engineFetcher(() => () => undefined)({ query, operationName }) as unknown as {
      subscribe: (observer: unknown) => unknown;
    };
    await new Promise<void>((done) => {
      started.subscribe({ next: () => undefined, complete: done });
    });
    expect(requests[0]).toMatchObject({ request: { query, operationName: sent } });
  });
});
