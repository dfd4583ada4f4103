import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import axe from 'axe-core';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { initTranslations } from '@/base/words';
import { App } from '@/app/App';
import { mockIPC, mockWindows } from '@/ipc/mocks';
import type { RecentFileView } from '@/ipc/bindings';
import { cleanUp } from '@/test/cleanup';
import { appState, approval, importView, operation, plantOverview, submission } from '@/test/samples';

const now = new Date().toISOString();

function recentFile(name: string, more: Partial<RecentFileView>): RecentFileView {
  return { hash: name, file: name, folder: '/plans', state: 'same', opened: now, draft: null, sent: null, ...more };
}

let files: RecentFileView[] = [];
let answers: Record<string, () => unknown> = {};
let calls: { command: string; args: Record<string, unknown> }[] = [];

const defaultAnswers: Record<string, () => unknown> = {
  app_state: () => appState(true),
  operations: () => [operation()],
  plant_overview: () => plantOverview(),
  samples: () => [{ operation: 'materials.sync', file: 'materials.xlsx' }],
  recent_files: () => files,
  recent_open: () => importView(),
  import_rows: () => ({ total: 0, offset: 0, rows: [] }),
  import_position: () => importView(),
  submission_list: () => [{ ...submission(), state: 'finished', counts: { ...submission().counts, unconfirmed: 3 } }],
};

beforeAll(async () => {
  await Promise.all([initTranslations(), import('../ImportPage')]);
});

beforeEach(() => {
  calls = [];
  files = [];
  answers = { ...defaultAnswers };
  mockWindows('main');
  mockIPC(
    (command, args) => {
      calls.push({ command, args: (args ?? {}) as Record<string, unknown> });
      return answers[command]?.();
    },
    { shouldMockEvents: true },
  );
});

afterEach(cleanUp);

async function renderPage(): Promise<void> {
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  await screen.findByTestId('import-open');
}

test('interrupted work comes first, then recent files with what became of them', async () => {
  const counts = { pending: 0, sending: 0, accepted: 33, rejected: 1, unconfirmed: 0, skipped: 8 };
  const sent = { submission: 4, site: 'practice', started: now, counts };
  files = [
    recentFile('half.xlsx', { draft: { changed: now, site: null, edited: 12, excluded: 1 } }),
    recentFile('sent.xlsx', { sent, state: 'changed' }),
    recentFile('gone.xlsx', { state: 'missing' }),
  ];
  await renderPage();
  const draft = await screen.findByTestId('draft-words');
  expect(draft.textContent).toContain('12 fixes and 1 skipped row, last changed today');
  const work = screen.getAllByRole('region', { name: 'Continue where you left off' })[0];
  expect(work?.textContent).toContain('3 rows unconfirmed.');
  const recent = screen.getByRole('region', { name: 'Recent files' });
  expect(Boolean((work?.compareDocumentPosition(recent) ?? 0) & Node.DOCUMENT_POSITION_FOLLOWING)).toBe(true);
  const [known, missing] = screen.getAllByTestId<HTMLButtonElement>('recent-file');
  expect(known?.textContent).toContain('33 of 34 rows accepted, 8 skipped');
  expect(known?.textContent).toContain('The file was changed since.');
  expect([known?.disabled, missing?.disabled]).toEqual([false, true]);
  document.title = 'Takt';
  const found = await axe.run(document, { rules: { 'color-contrast': { enabled: false } }, resultTypes: ['violations'] });
  expect(found.violations.map(({ id }) => id)).toEqual([]);
  await act(async () => fireEvent.click(known as HTMLElement));
  expect(calls.findLast(({ command }) => command === 'recent_open')?.args).toMatchObject({ hash: 'sent.xlsx' });
});

test('skipped rows of a submission are no progress, wherever it is shown', async () => {
  const counts = { pending: 6, sending: 0, accepted: 0, rejected: 0, unconfirmed: 0, skipped: 36 };
  const paused = submission({ state: 'paused', counts, total: 42, started: now });
  answers['submission_list'] = () => [paused];
  answers['app_state'] = () => ({ ...appState(true), interrupted: [{ ...paused, id: 8, state: 'interrupted' }] });
  files = [recentFile('sent.xlsx', { sent: { submission: 7, site: 'practice', started: now, counts } })];
  await renderPage();
  const work = await screen.findByRole('region', { name: 'Continue where you left off' });
  expect(work.textContent).toContain('Paused at 0 of 6 rows. For Practice, started today');
  expect(screen.getByTestId('recent-file').textContent).toMatch(/Nothing sent to Practice, started today.*, 6 not sent yet, 36 skipped/u);
  expect((await screen.findByTestId('interrupted')).textContent).toContain('interrupted after 0 of 6 rows');
  expect((await screen.findByTestId('background-submission')).textContent).toContain('Paused at 0 of 6');
});

test('what waits for a colleague is told to whoever asked, and is no work of others to continue', async () => {
  const paused = submission({ state: 'paused', person: 'anna', started: now });
  const both = [
    { ...paused, id: 8, file: 'own.xlsx', approval: approval({ isOwn: true }) },
    { ...paused, id: 9, file: 'other.xlsx', approval: approval({ isOwn: false }) },
  ];
  answers['submission_list'] = () => both;
  await renderPage();
  const work = await screen.findByRole('region', { name: 'Continue where you left off' });
  expect(work.textContent).toMatch(/own\.xlsx4 rows to Practice are waiting for approval \(today, /u);
  expect(work.textContent).not.toContain('other.xlsx');
});

test('cells pasted outside a text field are imported, and other texts are refused', async () => {
  answers['import_paste'] = () => importView();
  await renderPage();
  const paste = (target: Document | Element, text: string) => fireEvent.paste(target, { clipboardData: { getData: () => text } });
  paste(document, 'a single text\r\n');
  expect(await screen.findByText(/The clipboard has no table/u)).toBeTruthy();
  const field = document.body.appendChild(document.createElement('input'));
  paste(field, 'code\tdescription\r\nNEW-1\tBolt\r\n');
  field.remove();
  expect(calls.some(({ command }) => command === 'import_paste')).toBe(false);
  paste(document, 'code\tdescription\r\nNEW-1\tBolt\r\n');
  await screen.findByTestId('step-file');
  expect(calls.findLast(({ command }) => command === 'import_paste')?.args).toMatchObject({ name: 'Pasted rows', text: expect.stringContaining('NEW-1\tBolt') as string });
});

test('a draft is discarded once a person said so', async () => {
  files = [recentFile('half.xlsx', { draft: { changed: now, site: null, edited: 0, excluded: 0 } })];
  await renderPage();
  expect((await screen.findByTestId('draft-words')).textContent).toContain('Column choices');
  fireEvent.click(screen.getByTestId('draft-discard'));
  await act(async () => fireEvent.click(await screen.findByTestId('draft-keep')));
  expect(calls.some(({ command }) => command === 'recent_forget')).toBe(false);
  fireEvent.click(screen.getByTestId('draft-discard'));
  files = [];
  await act(async () => fireEvent.click(await screen.findByTestId('draft-discard-do')));
  expect(calls.findLast(({ command }) => command === 'recent_forget')?.args).toEqual({ hash: 'half.xlsx' });
  await waitFor(() => expect(screen.queryByTestId('draft-words')).toBeNull());
});

test('who is here for the first time is welcomed, and once only', async () => {
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact', welcome: true }} />);
  await screen.findByTestId('welcome');
  fireEvent.click(screen.getByTestId('welcome-practice'));
  await screen.findByTestId('import-open');
  expect(calls.findLast(({ command }) => command === 'preferences_save')?.args).toMatchObject({ preferences: { welcome: false } });
});
