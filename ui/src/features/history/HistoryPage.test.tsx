import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { App } from '@/app/App';
import { initTranslations } from '@/base/words';
import type { HistoryQuery, SentRequest } from '@/ipc/bindings';
import { mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { appState, operation, plantOverview, submission } from '@/test/samples';
import { toQuery, NO_FILTER } from './historyFilter';

const counts = { pending: 0, sending: 0, accepted: 3, rejected: 1, unconfirmed: 0, skipped: 0 };
const first = submission({ id: 7, state: 'finished', counts, hash: 'abcdef' });
const undo = submission({ id: 8, state: 'finished', counts, follows: 7, relation: 'undo' });
const request: SentRequest = {
  number: 1,
  started: '2026-11-21T06:00:00Z',
  ended: '2026-11-21T06:00:01Z',
  class: 'answered',
  status: 207,
  milliseconds: 31,
  items: 4,
  rows: 4,
  counts,
  logId: 'L-1',
  answer: '{"errors":["<b>no</b>"]}',
};

let queries: HistoryQuery[] = [];
let calls: { command: string; args: Record<string, unknown> }[] = [];
let answers: Record<string, (args: Record<string, unknown>) => unknown> = {};

beforeAll(async () => {
  await Promise.all([initTranslations(), import('./HistoryPage')]);
});

beforeEach(() => {
  queries = [];
  calls = [];
  answers = {
    app_state: () => appState(true),
    operations: () => [operation()],
    plant_overview: () => plantOverview(),
    samples: () => [{ operation: 'materials.sync', file: 'materials.xlsx' }],
    submission_list: () => [first],
    submission_get: () => first,
    submission_rows: () => ({ total: 0, offset: 0, rows: [] }),
    submission_search: () => ({ total: 0, offset: 0, rows: [] }),
    submission_rejected: () => 1,
    submission_requests: () => ({ total: 1, offset: 0, requests: [request] }),
    submission_request_body: () => ({ method: 'POST', path: '/x/batch', body: '{"items":[{"code":"A"}]}', characters: 24, exact: true }),
    history_context: () => ({ chain: [first, undo], mapping: '{ "columns": {} }' }),
    history_list: (args) => {
      queries.push(args['query'] as HistoryQuery);
      return { total: 2, offset: 0, submissions: [undo, first] };
    },
    handover_save: () => '/x/handover.xlsx',
    bundle_save: () => '/x/takt-support.zip',
  };
  mockWindows('main');
  mockIPC(
    (command, args) => {
      calls.push({ command, args: (args ?? {}) as Record<string, unknown> });
      return answers[command]?.((args ?? {}) as Record<string, unknown>);
    },
    { shouldMockEvents: true },
  );
});

afterEach(cleanUp);

async function renderPage(): Promise<void> {
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  fireEvent.click(await screen.findByTestId('nav-history'));
  await screen.findByTestId('history-count', {}, { timeout: 20_000 });
}

test('what a person remembers becomes one question, days with their last one', () => {
  expect(toQuery(NO_FILTER)).toEqual({ text: null, site: null, state: null, unconfirmed: false, since: null, until: null });
  const query = toQuery({ text: ' WO-1 ', site: 'works', state: 'unconfirmed', from: '2026-11-22', to: '2026-11-22' });
  expect([query.text, query.site, query.state, query.unconfirmed]).toEqual(['WO-1', 'works', null, true]);
  const hours = (Date.parse(query.until ?? '') - Date.parse(query.since ?? '')) / 3_600_000;
  expect(Math.round(hours / 24)).toBe(1);
  expect(toQuery({ ...NO_FILTER, from: 'soon' }).since).toBeNull();
});

test('the list is searched where it is kept, and says how many fit', async () => {
  await renderPage();
  expect(screen.getByTestId('history-count').textContent).toBe('2 submissions');
  answers['history_list'] = (args) => {
    queries.push(args['query'] as HistoryQuery);
    return { total: 0, offset: 0, submissions: [] };
  };
  fireEvent.change(screen.getByTestId('history-find'), { target: { value: 'WO-4711' } });
  await waitFor(() => expect(screen.getByTestId('history-count').textContent).toBe('No matching submissions.'));
  expect(queries.at(-1)?.text).toBe('WO-4711');
  fireEvent.click(screen.getByTestId('history-clear'));
  await waitFor(() => expect(queries.at(-1)?.text).toBeNull());
});

test('the sheet for the next shift begins so many hours ago', async () => {
  await renderPage();
  fireEvent.click(screen.getByTestId('handover'));
  fireEvent.click(await screen.findByTestId('handover-8'));
  await waitFor(() => expect(calls.some(({ command }) => command === 'handover_save')).toBe(true));
  const since = String(calls.find(({ command }) => command === 'handover_save')?.args['since']);
  expect(Math.round((Date.now() - Date.parse(since)) / 3_600_000)).toBe(8);
});

test('one submission shows its requests and what stands around it', async () => {
  await renderPage();
  fireEvent.click(await screen.findByTestId('open-7'));
  const tab = async (name: string) => fireEvent.click(await screen.findByText(name, { selector: 'span' }));
  await screen.findByTestId('find-row');
  fireEvent.change(screen.getByTestId('find-row'), { target: { value: 'A-1' } });
  await waitFor(() => expect(calls.some(({ command, args }) => command === 'submission_search' && args['text'] === 'A-1')).toBe(true));
  await tab('Details');
  expect((await screen.findByTestId('history-chain')).textContent).toContain('undoes 7');
  expect(screen.getByTestId('history-mapping').textContent).toContain('columns');
  expect(screen.getByTestId('history-about').textContent).toContain('anna');
  await tab('Requests');
  await screen.findByTestId('grid-requests');
});
