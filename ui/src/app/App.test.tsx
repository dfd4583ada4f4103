import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import axe from 'axe-core';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { queryClient } from '@/base/queryClient';
import { queryKeys } from '@/base/queryKeys';
import { initTranslations } from '@/base/words';
import { emit, mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { appState, importView, operation, plan, plantOverview, submission } from '@/test/samples';
import { App } from './App';

type Answers = Record<string, (args: Record<string, unknown>) => unknown>;

let signedIn = true;
let calls: { command: string; args: Record<string, unknown> }[] = [];
let answers: Answers = {};

beforeAll(async () => {
  // Lazy pages are loaded before the tests, so that no test waits for them.
  await Promise.all([initTranslations(), import('@/features/import/ImportPage'), import('@/features/settings/SettingsPage')]);
});

beforeEach(() => {
  signedIn = true;
  calls = [];
  answers = {
    app_state: () => appState(signedIn),
    operations: () => [operation()],
    plant_overview: () => plantOverview(),
    samples: () => [{ operation: 'materials.sync', file: 'materials.xlsx' }],
    import_sample: () => importView(),
    import_close: () => null,
    import_position: () => importView(),
    recent_files: () => [],
    submission_list: () => [],
    submission_start: () => plan(submission()),
    plan_get: () => plan(submission()),
    submission_get: () => submission(),
    submission_rows: () => ({ total: 0, offset: 0, rows: [] }),
    language_set: () => null,
    preferences_save: () => null,
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

async function renderApp(): Promise<void> {
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  await screen.findByTestId('sample-materials.sync');
}

async function openSample(): Promise<void> {
  await renderApp();
  fireEvent.click(screen.getByTestId('sample-materials.sync'));
  await screen.findByTestId('step-file');
}

async function findViolations(): Promise<string[]> {
  document.title = 'Takt';
  const results = await axe.run(document, { rules: { 'color-contrast': { enabled: false } }, resultTypes: ['violations'] });
  return results.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`);
}

test('a state that cannot be read is said, and read again', async () => {
  let isAway = true;
  answers['app_state'] = () => {
    if (isAway) throw { code: 'team-away', parameters: {}, reasons: [], message: '', hint: '' };
    return appState(signedIn);
  };
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  expect((await screen.findByTestId('problem')).dataset['code']).toBe('team-away');
  isAway = false;
  await waitFor(() => expect(screen.queryByTestId('problem')).toBeNull(), { timeout: 10_000 });
});

test('the first start shows where to drop a workbook, and samples', async () => {
  await renderApp();
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Today');
  expect(screen.getByTestId('site-switch').textContent).toContain('Practice');
  expect(screen.queryByTestId('limit')).toBeNull();
  expect(await findViolations()).toEqual([]);
});

test('technical details are shown once they are wanted, and a limit that is nearly reached always', async () => {
  await renderApp();
  fireEvent.click(screen.getByTestId('nav-settings'));
  fireEvent.click(await screen.findByTestId('technical-details'));
  expect((await screen.findByTestId('limit')).getAttribute('aria-valuenow')).toBe('40');
  expect(calls.findLast(({ command }) => command === 'preferences_save')?.args).toMatchObject({ preferences: { technicalDetails: true } });
  fireEvent.click(screen.getByTestId('technical-details'));
  await waitFor(() => expect(screen.queryByTestId('limit')).toBeNull());
  answers.app_state = () => ({ ...appState(true), limit: { limit: 100, remaining: 4, reset: null } });
  await act(() => queryClient.invalidateQueries({ queryKey: queryKeys.app }));
  expect((await screen.findByTestId('limit')).getAttribute('aria-valuenow')).toBe('4');
});

test('findings and blank workbooks are saved in the language of the window', async () => {
  answers['import_save_findings'] = () => ({ path: '/x/materials checked.xlsx', keepsOriginal: true });
  answers['blank_save'] = () => null;
  answers['import_rows'] = () => ({ total: 0, offset: 0, rows: [] });
  await renderApp();
  fireEvent.click(screen.getByTestId('blank-menu'));
  fireEvent.click(await screen.findByTestId('blank-materials.sync'));
  await waitFor(() => expect(calls.find(({ command }) => command === 'blank_save')?.args).toMatchObject({ operation: 'materials.sync', language: 'en' }));
  fireEvent.click(screen.getByTestId('sample-materials.sync'));
  fireEvent.click(await screen.findByTestId('step-check'));
  expect(screen.queryByTestId('previously-accepted')).toBeNull();
  fireEvent.click(await screen.findByTestId('save-findings'));
  await screen.findByText(/materials checked\.xlsx/u);
  expect(calls.find(({ command }) => command === 'import_save_findings')?.args).toMatchObject({ id: 1, name: 'materials checked' });
});

test('Enter goes on and Esc goes back, and Enter never sends', async () => {
  await openSample();
  const current = () => document.querySelector('[aria-current="step"]')?.textContent;
  expect(current()).toBe('File');
  fireEvent.keyDown(document.body, { key: 'Enter' });
  await waitFor(() => expect(current()).toBe('Columns'));
  expect(await findViolations()).toEqual([]);
  fireEvent.keyDown(document.body, { key: 'Escape' });
  await waitFor(() => expect(current()).toBe('File'));
  fireEvent.click(screen.getByTestId('step-send'));
  await screen.findByTestId('send');
  fireEvent.keyDown(document.body, { key: 'Enter' });
  expect(current()).toBe('Send');
  expect(calls.some(({ command }) => command === 'submission_start')).toBe(false);
});

test("markup in a file's cells is shown as text", async () => {
  await openSample();
  expect(within(screen.getByTestId('head')).getByText('<script>alert(1)</script>')).toBeTruthy();
  expect(document.querySelector('td script')).toBeNull();
});

test('rows in error are only left out by a button that says so', async () => {
  await openSample();
  fireEvent.click(screen.getByTestId('step-send'));
  const send = await screen.findByTestId<HTMLButtonElement>('send');
  expect(screen.getByTestId('errors-stay').textContent).toContain('1 row with errors');
  expect(send.textContent).toBe('Send 3 rows to Practice, skip 1');
  expect(await findViolations()).toEqual([]);
  fireEvent.click(send);
  await screen.findByTestId('batch-strip');
  expect(calls.find(({ command }) => command === 'submission_start')?.args).toEqual({
    importId: 1,
    site: 'practice',
    preview: null,
    skip: { errors: true, claimed: false },
    confirmed: null,
    how: { trial: null, follows: null, batchSize: null },
  });
  expect(screen.getByTestId('result-skipped').textContent).toBe('1');
  await act(() =>
    emit('submission-changed', submission({ counts: { pending: 0, sending: 0, accepted: 2, rejected: 1, unconfirmed: 0, skipped: 1 } })),
  );
  await waitFor(() => expect(screen.getByTestId('result-accepted').textContent).toBe('2'));
  expect(screen.getByTestId('result-rejected').textContent).toBe('1');
});

test('who is not signed in is asked to, and sees the address while waiting', async () => {
  signedIn = false;
  answers.sign_in_start = () => ({
    address: 'http://127.0.0.1:1/connect/authorize?x=1',
    heard: true,
    seconds: 600,
    redirect: 'http://127.0.0.1:7/callback',
    hintAfter: 0,
  });
  await openSample();
  fireEvent.click(screen.getByTestId('step-send'));
  fireEvent.click(await screen.findByTestId('sign-in'));
  expect((await screen.findByTestId('sign-in-address')).textContent).toBe('http://127.0.0.1:1/connect/authorize?x=1');
  expect((await screen.findByTestId('sign-in-hint')).textContent).toContain('http://127.0.0.1:7/callback');
  expect(await findViolations()).toEqual([]);
  signedIn = true;
  await act(() => emit('sign-in-changed', { state: 'done', problem: null }));
  await screen.findByTestId('send');
});

test('a sign-in that failed says why and what to do', async () => {
  signedIn = false;
  answers.sign_in_start = () => ({ address: 'http://127.0.0.1:1/a', heard: false, seconds: 600 });
  await openSample();
  fireEvent.click(screen.getByTestId('step-send'));
  fireEvent.click(await screen.findByTestId('sign-in'));
  expect((await screen.findByTestId('sign-in-waiting')).textContent).toContain("can't receive the browser's reply");
  const pasted: unknown[] = [];
  answers.sign_in_paste = (args) => {
    pasted.push(args);
    throw new Error('not the way back');
  };
  fireEvent.change(screen.getByTestId('sign-in-pasted'), { target: { value: 'https://erp.example/back?code=x' } });
  fireEvent.click(screen.getByTestId('sign-in-paste'));
  await screen.findByTestId('problem');
  expect(pasted).toEqual([{ address: 'https://erp.example/back?code=x' }]);
  const problem = {
    code: 'sign-in-refused',
    message: '',
    hint: '',
    parameters: { site: 'practice' },
    reasons: ['invalid_client'],
    logId: null,
    details: null,
  };
  await act(() => emit('sign-in-changed', { state: 'failed', problem }));
  await waitFor(() => expect(screen.getByTestId('problem').textContent).toContain('Practice refused the sign-in.'));
  expect(screen.getByTestId('problem').textContent).toContain('invalid_client');
  // The failure isn't shown once the site has other settings.
  const savedState = appState(false);
  const [practice] = savedState.sites;
  answers.app_state = () => ({ ...savedState, sites: [{ ...practice, site: { ...practice?.site, clientId: 'another' } }] });
  await act(() => queryClient.invalidateQueries({ queryKey: queryKeys.app }));
  await waitFor(() => expect(screen.queryByTestId('problem')).toBeNull());
});

test('a sign-out of which the sign-in service hears nothing says so', async () => {
  signedIn = true;
  answers.sign_out = () => false;
  await renderApp();
  fireEvent.click(screen.getByTestId('person'));
  fireEvent.click(await screen.findByTestId('sign-out'));
  expect(await screen.findByText(/^You're signed out of Takt, but the sign-in service couldn't be reached/u)).toBeDefined();
  // The notice belongs to this page.
  fireEvent.click(screen.getByTestId('nav-settings'));
  await waitFor(() => expect(screen.queryByText(/^You're signed out of Takt/u)).toBeNull());
});

test('a file that is no workbook is said to be none, and nothing else is lost', async () => {
  await renderApp();
  answers.import_sample = () => {
    throw {
      code: 'file-not-workbook',
      message: '',
      hint: '',
      parameters: { file: 'a.pdf' },
      reasons: [],
      logId: null,
      details: 'first bytes 25 50 44 46',
    };
  };
  fireEvent.click(screen.getByTestId('sample-materials.sync'));
  const note = await screen.findByTestId('problem');
  expect(note.dataset.code).toBe('file-not-workbook');
  expect(note.textContent).toContain("a.pdf isn't a workbook that Takt can open.");
  expect(screen.getByTestId('import-open')).toBeTruthy();
});

test('a submission that stands half done is offered to be taken up', async () => {
  const standing = submission({ state: 'interrupted' });
  answers.app_state = () => ({ ...appState(true), interrupted: [standing] });
  await renderApp();
  const bar = await screen.findByTestId('interrupted');
  expect(bar.textContent).toContain('Sending to Practice was interrupted after 0 of 3 rows.');
});

test('the language changes at once', async () => {
  await renderApp();
  fireEvent.click(screen.getByTestId('nav-settings'));
  const language = await screen.findByTestId<HTMLInputElement>('language');
  expect(await findViolations()).toEqual([]);
  fireEvent.click(language);
  fireEvent.click(await screen.findByText('Deutsch'));
  await waitFor(() => expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Einstellungen'));
  expect(document.documentElement.lang).toBe('de');
  expect(calls.findLast(({ command }) => command === 'preferences_save')?.args).toMatchObject({
    preferences: { language: 'de' },
  });
});
