import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { App } from '@/app/App';
import { initTranslations } from '@/base/words';
import type { BrowseProgressed, Problem } from '@/ipc/bindings';
import { emit, mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { page, readOperation } from '@/test/readSamples';
import { appState, plantOverview } from '@/test/samples';

type CommandArguments = Record<string, unknown>;
type Answers = Record<string, (args: CommandArguments) => unknown>;

let calls: { command: string; args: CommandArguments }[] = [];
let answers: Answers = {};

beforeAll(async () => {
  await Promise.all([initTranslations(), import('@/features/import/ImportPage'), import('./BrowsePage')]);
});

beforeEach(() => {
  calls = [];
  answers = {
    app_state: () => appState(true),
    operations: () => [readOperation()],
    plant_overview: () => plantOverview(),
    samples: () => [],
    submission_list: () => [],
    language_set: () => null,
    read_filters: () => ({ parameters: {}, limit: 100 }),
    read_filters_save: () => null,
    read_spans: () => [{ name: 'today', begin: '2026-11-22T00:00:00', end: '2026-11-23T00:00:00' }],
    browse_page: ({ page: number }) => page(number as number),
    browse_rows: () => ({ rows: [], positions: [], shown: 0, of: 0, unknown: [] }),
    browse_all: () => 77,
    browse_continue: () => null,
    browse_stop: () => null,
  };
  mockWindows('main');
  mockIPC(
    (command, args) => {
      calls.push({ command, args: (args ?? {}) as CommandArguments });
      return answers[command]?.((args ?? {}) as CommandArguments);
    },
    { shouldMockEvents: true },
  );
});

afterEach(cleanUp);

function requestedPages(): { parameters: unknown; page: unknown; limit: unknown }[] {
  return calls
    .filter(({ command }) => command === 'browse_page')
    .map(({ args }) => ({ parameters: (args.query as { parameters: unknown }).parameters, page: args.page, limit: args.limit }));
}

async function renderPage(): Promise<void> {
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  fireEvent.click(await screen.findByTestId('nav-browse'));
  fireEvent.click(await screen.findByTestId('browse-work-orders.list'));
  await waitFor(() => expect(requestedPages()).toHaveLength(1));
  await screen.findByText('of 12');
}

async function reportProgress(news: Partial<BrowseProgressed>): Promise<void> {
  const progress = { rows: 300, total: 1_200, page: 3, pages: 12, waitingUntil: null };
  await act(() => emit('browse-progressed', { id: 77, progress, problem: null, end: null, done: false, ...news }));
}

test('a list opens with the filters of the last time, and a click on a span reads', async () => {
  answers['read_filters'] = () => ({ parameters: { from: 'today', to: 'today', code: 'A-1' }, limit: 25 });
  await renderPage();
  expect(requestedPages()).toEqual([{ parameters: { from: 'today', to: 'today', code: 'A-1' }, page: 1, limit: 25 }]);
  const today = await screen.findByTestId('span-today');
  expect(today.getAttribute('aria-pressed')).toBe('true');
  fireEvent.click(today);
  await waitFor(() => expect(requestedPages()).toHaveLength(2));
  expect(requestedPages()[1]?.parameters).toEqual({ code: 'A-1' });
});

test('one click clears the filters, and that is kept, too', async () => {
  answers['read_filters'] = () => ({ parameters: { code: 'A-1' }, limit: 25 });
  await renderPage();
  fireEvent.click(screen.getByTestId('browse-clear'));
  await waitFor(() => expect(requestedPages()).toHaveLength(2));
  expect(requestedPages()[1]?.parameters).toEqual({});
  const saved = calls.findLast(({ command }) => command === 'read_filters_save');
  expect(saved?.args).toEqual({ operation: 'work-orders.list', filters: { parameters: {}, limit: 25, chart: false } });
});

test('Enter reads, and reads anew what was read before', async () => {
  await renderPage();
  const code = screen.getByTestId('parameter-code');
  fireEvent.change(code, { target: { value: 'A-7' } });
  fireEvent.submit(code.closest('form')!);
  await waitFor(() => expect(requestedPages()).toHaveLength(2));
  await waitFor(() => expect(screen.getByTestId('browse-read').hasAttribute('disabled')).toBe(false));
  fireEvent.submit(code.closest('form')!);
  await waitFor(() => expect(requestedPages()).toHaveLength(3));
  expect(requestedPages().map(({ parameters }) => parameters)).toEqual([{}, { code: 'A-7' }, { code: 'A-7' }]);
});

test('dates in the wrong order are said before anything is sent', async () => {
  await renderPage();
  fireEvent.change(screen.getByTestId('parameter-from'), { target: { value: '2026-11-23' } });
  fireEvent.change(screen.getByTestId('parameter-to'), { target: { value: '2026-11-22' } });
  expect(screen.getByTestId('browse-reversed').textContent).toContain('must be after the start');
  fireEvent.submit(screen.getByTestId('parameter-from').closest('form')!);
  expect(screen.getByTestId('browse-read').hasAttribute('disabled')).toBe(true);
  expect(requestedPages()).toHaveLength(1);
});

test('an answer that comes late is never shown as another page', async () => {
  let late: (() => void) | undefined;
  answers['browse_page'] = ({ page: number }) =>
    number === 2 ? new Promise((give) => { late = () => give(page(2)); }) : page(number as number);
  await renderPage();
  fireEvent.click(screen.getByTestId('page-next'));
  await waitFor(() => expect(requestedPages()).toHaveLength(2));
  for (let turn = 0; turn < 3; turn += 1) fireEvent.click(screen.getByTestId('page-next'));
  await waitFor(() => expect(requestedPages().at(-1)?.page).toBe(5));
  await act(async () => late?.());
  expect((screen.getByTestId('page-typed') as HTMLInputElement).value).toBe('5');
  await waitFor(() => expect(screen.getByTestId('browse-total').textContent).toBe('1,200 rows'));
  expect(screen.queryByText('P2')).toBeNull();
});

test('a page is asked for as soon as the pointer comes to its button, and once', async () => {
  answers['ticket_stop'] = () => null;
  await renderPage();
  const next = screen.getByTestId('page-next');
  fireEvent.pointerOver(next);
  expect(requestedPages().map(({ page: number }) => number)).toEqual([1, 2]);
  fireEvent.click(next);
  await waitFor(() => expect((screen.getByTestId('page-typed') as HTMLInputElement).value).toBe('2'));
  await waitFor(() => expect(screen.getByTestId('browse-total').textContent).toBe('1,200 rows'));
  expect(requestedPages()).toHaveLength(2);
  expect(calls.some(({ command }) => command === 'ticket_stop')).toBe(false);
});

test('who rests on the button after a page came has the next one asked for, and turns to it at once', async () => {
  answers['ticket_stop'] = () => null;
  await renderPage();
  const next = screen.getByTestId('page-next');
  fireEvent.pointerOver(next);
  fireEvent.focus(next);
  fireEvent.click(next);
  const numbers = () => requestedPages().map(({ page: number }) => number);
  await waitFor(() => expect(numbers()).toEqual([1, 2, 3]));
  await act(async () => undefined);
  fireEvent.click(next);
  expect((screen.getByTestId('page-typed') as HTMLInputElement).value).toBe('3');
  expect(await screen.findByText('P3')).toBeDefined();
  expect(numbers().filter((number) => number === 3)).toHaveLength(1);
  fireEvent.pointerOut(next);
  expect(calls.some(({ command }) => command === 'ticket_stop')).toBe(false);
});

test('a page that nobody turns to is let go', async () => {
  answers['ticket_stop'] = () => null;
  await renderPage();
  answers['browse_page'] = () => new Promise(() => undefined);
  const next = screen.getByTestId('page-next');
  fireEvent.pointerOver(next);
  fireEvent.pointerOut(next);
  const lastCall = calls.findLast(({ command }) => command === 'browse_page');
  expect(calls.findLast(({ command }) => command === 'ticket_stop')?.args).toEqual({ ticket: lastCall?.args.ticket });
  expect((screen.getByTestId('page-typed') as HTMLInputElement).value).toBe('1');
});

test('a page is typed, and rows per page are chosen', async () => {
  await renderPage();
  const typed = screen.getByTestId('page-typed');
  fireEvent.change(typed, { target: { value: '900' } });
  fireEvent.submit(typed.closest('form')!);
  await waitFor(() => expect(requestedPages().at(-1)?.page).toBe(12));
  fireEvent.change(screen.getByTestId('page-size'), { target: { value: '25' } });
  await waitFor(() => expect(requestedPages().at(-1)).toEqual({ parameters: {}, page: 45, limit: 25 }));
});

async function readAll(): Promise<void> {
  await renderPage();
  fireEvent.click(screen.getByTestId('browse-all'));
  await waitFor(() => expect(calls.some(({ command }) => command === 'browse_all')).toBe(true));
}

test('reading everything says n of m, can be stopped and goes on', async () => {
  await readAll();
  await reportProgress({});
  expect((await screen.findByTestId('browse-progress')).textContent).toBe('300 of 1,200 rows');
  fireEvent.click(screen.getByTestId('browse-stop'));
  await reportProgress({ end: 'stopped', done: true });
  expect((await screen.findByTestId('browse-why')).textContent).toBe('Stopped.');
  expect(screen.getByTestId('browse-total').textContent).toBe('300 of 1,200 rows');
  fireEvent.click(screen.getByTestId('browse-go-on'));
  await waitFor(() => expect(calls.filter(({ command }) => command === 'browse_continue').map(({ args }) => args)).toEqual([{ id: 77 }]));
  await screen.findByTestId('browse-progress');
});

test('what waits for the limit says until when', async () => {
  await readAll();
  const progress = { rows: 300, total: 1_200, page: 3, pages: 12 };
  await reportProgress({});
  // Progress is shown at intervals, but a wait immediately.
  await reportProgress({ progress: { ...progress, waitingUntil: '2026-11-22T14:05:30Z' } });
  expect((await screen.findByTestId('browse-waits')).textContent).toMatch(/^Request limit reached. Resuming at \d+:05:30/);
  await reportProgress({ end: 'whole', done: true });
  expect(screen.queryByTestId('browse-waits')).toBeNull();
});

test('a page that waits says so, and ends once it is no longer wanted', async () => {
  await renderPage();
  type ProgressChannel = { onmessage: (progress: unknown) => void };
  let channel: ProgressChannel | undefined;
  let give: ((page: unknown) => void) | undefined;
  answers['ticket_stop'] = () => null;
  answers['browse_page'] = (args) => {
    channel = args.channel as ProgressChannel;
    return new Promise((resolve) => {
      give = resolve;
    });
  };
  const reportWaiting = (waitingUntil: string | null) => act(async () => channel?.onmessage({ rows: 0, total: null, page: 2, pages: null, waitingUntil }));
  fireEvent.click(screen.getByTestId('page-next'));
  await waitFor(() => expect(channel).toBeDefined());
  await reportWaiting('2026-11-22T14:05:30Z');
  expect((await screen.findByTestId('browse-waits')).textContent).toContain('Resuming at');
  await reportWaiting(null);
  expect(screen.queryByTestId('browse-waits')).toBeNull();
  await act(async () => give?.(page(2)));
  fireEvent.click(screen.getByTestId('page-next'));
  await waitFor(() => expect(requestedPages().at(-1)?.page).toBe(3));
  fireEvent.click(screen.getByTestId('nav-import'));
  const last = calls.findLast(({ command }) => command === 'browse_page');
  await waitFor(() => expect(calls.findLast(({ command }) => command === 'ticket_stop')?.args).toEqual({ ticket: last?.args.ticket }));
});

test('what ends early says why', async () => {
  await readAll();
  const problem: Problem = { code: 'read-broken', message: 'm', hint: 'h', parameters: { site: 'practice' }, reasons: [], logId: null, details: null };
  await reportProgress({ done: true, problem, progress: { rows: 500, total: null, page: 5, pages: null, waitingUntil: null } });
  expect((await screen.findByTestId('browse-why')).textContent).toBe('Interrupted.');
  expect(screen.getByTestId('browse-total').textContent).toBe('500 loaded, total unknown');
  fireEvent.click(screen.getByTestId('browse-go-on'));
  await reportProgress({ done: true, end: 'uneven', progress: { rows: 1_199, total: 1_200, page: 12, pages: 12, waitingUntil: null } });
  expect((await screen.findByTestId('browse-why')).textContent).toContain('Some rows may be missing');
  expect(screen.queryByTestId('browse-go-on')).toBeNull();
});

test('a service that counts nothing can be paged through', async () => {
  answers['browse_page'] = ({ page: number }) => page(number as number, null);
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  fireEvent.click(await screen.findByTestId('nav-browse'));
  fireEvent.click(await screen.findByTestId('browse-work-orders.list'));
  await screen.findByText('of ?');
  await waitFor(() => expect(screen.getByTestId('page-next').hasAttribute('disabled')).toBe(false));
  fireEvent.click(screen.getByTestId('page-next'));
  await waitFor(() => expect(requestedPages().at(-1)?.page).toBe(2));
});
