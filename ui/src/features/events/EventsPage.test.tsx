import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { App } from '@/app/App';
import { initTranslations } from '@/base/words';
import type { EventQuery } from '@/ipc/bindings';
import { mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { appState, operation } from '@/test/samples';

const receiver = { site: 'practice', state: 'on', urls: ['http://127.0.0.1:1/secret'], settings: {}, refused: 0, elsewhere: null };
const stored: EventQuery = { kinds: [], states: [], station: null, employee: null, order: 'no such order', text: null, since: null, until: null, site: null, upTo: null, only: [] };

beforeAll(async () => {
  await Promise.all([initTranslations(), import('./EventsPage')]);
});

beforeEach(() => {
  const answers: Record<string, (args: Record<string, unknown>) => unknown> = {
    app_state: () => appState(true),
    operations: () => [operation()],
    samples: () => [],
    submission_list: () => [],
    receiver_view: () => receiver,
    event_kinds: () => [],
    event_gaps: () => [],
    event_last_query: () => stored,
    event_list: ({ query, offset }) => ({ offset, rows: [], total: (query as EventQuery).order ? 0 : 1, unread: 0 }),
  };
  mockWindows('main');
  mockIPC((command, args) => answers[command]?.((args ?? {}) as Record<string, unknown>) ?? null, { shouldMockEvents: true });
});

afterEach(cleanUp);

test('clearing a filter that nothing matches keeps the filter line, and with it the focus and what is typed next', async () => {
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  fireEvent.click(await screen.findByTestId('nav-events'));
  await waitFor(() => expect(screen.getByTestId('events-count').textContent).toBe('No matching events.'));
  const find = screen.getByTestId('events-find');
  const removed: Node[] = [];
  const observer = new MutationObserver((changes) => {
    for (const { removedNodes } of changes) removed.push(...removedNodes);
  });
  observer.observe(document.body, { childList: true, subtree: true });
  fireEvent.click(screen.getByTestId('events-clear'));
  await waitFor(() => expect(screen.getByTestId('events-count').textContent).toBe('1 event'));
  observer.disconnect();
  expect(removed.filter((node) => node.contains(find))).toEqual([]);
  expect(screen.getByTestId('events-find')).toBe(find);
});
