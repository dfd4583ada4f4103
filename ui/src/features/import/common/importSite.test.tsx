import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { App } from '@/app/App';
import { queryClient } from '@/base/queryClient';
import { queryKeys } from '@/base/queryKeys';
import { initTranslations } from '@/base/words';
import type { ImportView } from '@/ipc/bindings';
import { emit, mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { appState, importView, operation, plan, plantOverview, submission } from '@/test/samples';

const works = 'Works Süd';
let chosen = 'practice';
let view: ImportView;
let calls: { command: string; args: Record<string, unknown> }[] = [];

function stateWithTwoSites() {
  const state = appState(true);
  const [practice] = state.sites;
  const own = { ...practice!, chosen: chosen === works, site: { ...practice!.site, name: works, kind: 'test' as const } };
  return { ...state, sites: [{ ...practice!, chosen: chosen !== works }, own] };
}

const answers: Record<string, (args: Record<string, unknown>) => unknown> = {
  app_state: stateWithTwoSites,
  operations: () => [operation()],
  plant_overview: () => plantOverview(),
  samples: () => [{ operation: 'materials.sync', file: 'materials.xlsx' }],
  import_sample: () => view,
  import_open: () => ({ ...view, id: 2, file: 'other.xlsx' }),
  import_position: () => view,
  recent_files: () => [],
  import_rows: () => ({ total: 0, offset: 0, rows: [] }),
  import_header: () => view,
  preview_build: () => new Promise(() => undefined),
  import_choose_site: ({ site }) => (view = { ...view, destination: { site: String(site), fixed: null } }),
  submission_list: () => [],
  submission_start: () => plan(submission()),
  plan_get: () => plan(submission()),
  submission_get: () => submission(),
};

beforeAll(async () => {
  await Promise.all([initTranslations(), import('../ImportPage')]);
});

beforeEach(() => {
  chosen = 'practice';
  view = importView();
  calls = [];
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

const sentTo = () => calls.findLast(({ command }) => command === 'submission_start')?.args['site'];
const moves = () => calls.filter(({ command }) => command === 'import_choose_site').map(({ args }) => args['site']);

async function openSample(): Promise<void> {
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  await act(async () => fireEvent.click(await screen.findByTestId('sample-materials.sync')));
  await screen.findByTestId('step-file');
}

async function chooseSite(site: string): Promise<void> {
  chosen = site;
  await act(async () => queryClient.invalidateQueries({ queryKey: queryKeys.app }));
}

async function editImport(): Promise<void> {
  await act(async () => fireEvent.click(screen.getByTestId('heading-2')));
}

test('an import goes with the site that the window is at, and is previewed again before it is sent', async () => {
  await openSample();
  await act(async () => fireEvent.click(screen.getByTestId('step-send')));
  expect((await screen.findByTestId('send')).textContent).toBe('Send 3 rows to Practice, skip 1');
  await chooseSite(works);
  await waitFor(() => expect(moves()).toEqual([works]));
  await waitFor(() => expect(document.querySelector('[aria-current="step"]')?.textContent).toBe('Preview'));
  expect(screen.queryByTestId('send')).toBeNull();
  await act(async () => fireEvent.click(screen.getByTestId('step-send')));
  expect((await screen.findByTestId('send')).textContent).toBe(`Send 3 rows to ${works}, skip 1`);
  await act(async () => fireEvent.click(screen.getByTestId('send')));
  await waitFor(() => expect(sentTo()).toBe(works));
});

test.each([{ kind: 'submission', id: 3 }, { kind: 'sample' }] as const)(
  'what is held to its site by a $kind says so, and isn’t sent while the window is at another one',
  async (fixed) => {
    view = { ...importView(), destination: { site: 'practice', fixed } };
    await openSample();
    await act(async () => fireEvent.click(screen.getByTestId('step-send')));
    await screen.findByTestId('send');
    await chooseSite(works);
    expect((await screen.findByTestId('other-site')).textContent).toContain(works);
    expect(screen.queryByTestId('send')).toBeNull();
    expect(moves()).toEqual([]);
    await act(async () => fireEvent.click(screen.getByTestId('other-site-back')));
    expect(calls.findLast(({ command }) => command === 'site_choose')?.args).toEqual({ name: 'practice' });
    await chooseSite('practice');
    await screen.findByTestId('send');
  },
);

test('samples are opened on practice alone', async () => {
  chosen = works;
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  fireEvent.click(await screen.findByTestId('samples-practice'));
  expect(screen.queryByTestId('sample-materials.sync')).toBeNull();
  expect(calls.findLast(({ command }) => command === 'site_choose')?.args).toEqual({ name: 'practice' });
});

test('a file with changes is closed, replaced, or the window closed, only once a person said so', async () => {
  await openSample();
  expect(calls.findLast(({ command }) => command === 'close_guard')?.args).toEqual({ unsent: false });
  await editImport();
  await waitFor(() => expect(calls.findLast(({ command }) => command === 'close_guard')?.args).toEqual({ unsent: true }));
  fireEvent.click(screen.getByTestId('import-leave'));
  await screen.findByTestId('discard');
  await act(async () => fireEvent.click(screen.getByTestId('discard-keep')));
  await waitFor(() => expect(screen.queryByTestId('discard')).toBeNull());
  expect(screen.getByTestId('step-file').getAttribute('aria-current')).toBe('step');
  // The engine keeps the window open until the question is answered.
  await act(async () => emit('close-requested', null));
  await screen.findByTestId('discard');
  expect(calls.some(({ command }) => command === 'close_acknowledge')).toBe(true);
  expect(calls.some(({ command }) => command === 'close_window')).toBe(false);
  await act(async () => fireEvent.click(screen.getByTestId('discard-do')));
  await waitFor(() => expect(calls.some(({ command }) => command === 'close_window')).toBe(true));
  await act(async () => fireEvent.click(screen.getByTestId('import-leave')));
  await act(async () => fireEvent.click(await screen.findByTestId('discard-do')));
  await screen.findByTestId('import-open');
});

test('the value of a cell that is being edited is stored before the window closes', async () => {
  const cell = { shown: 'MAT-1', read: 'MAT-1', severity: null, was: null };
  answers['import_rows'] = () => ({ total: 1, offset: 0, rows: [{ row: 2, excluded: false, severity: null, cells: [cell], findings: [], rejected: [] }] });
  let store = () => undefined as void;
  answers['import_fix'] = () => new Promise((done) => (store = () => done({ ...view, draft: { kept: true, restored: null, earlier: null } })));
  await openSample();
  fireEvent.click(screen.getByTestId('step-check'));
  const shown = await screen.findByText('MAT-1', { selector: '.ag-cell, .ag-cell *' }, { timeout: 20_000 });
  const own = shown.closest('.ag-cell') as HTMLElement;
  await act(async () => own.focus());
  await act(async () => fireEvent.keyDown(own, { key: 'F2', code: 'F2' }));
  const input = await waitFor(() => document.querySelector<HTMLInputElement>('.ag-cell input') ?? Promise.reject(new Error('no editor')));
  await waitFor(() => expect(calls.findLast(({ command }) => command === 'close_guard')?.args).toEqual({ unsent: true }));
  await act(async () => fireEvent.input(input, { target: { value: 'MAT-2' } }));
  await act(async () => emit('close-requested', null));
  await waitFor(() => expect(calls.findLast(({ command }) => command === 'import_fix')?.args).toEqual({ id: 1, fix: { kind: 'set', row: 2, column: 0, text: 'MAT-2' } }));
  expect(calls.some(({ command }) => command === 'close_window')).toBe(false);
  await act(async () => store());
  await waitFor(() => expect(calls.some(({ command }) => command === 'close_window')).toBe(true));
});

test('changes that are kept as a draft are no reason to ask', async () => {
  await openSample();
  view = { ...view, draft: { kept: true, restored: null, earlier: null } };
  await editImport();
  expect(calls.filter(({ command, args }) => command === 'close_guard' && args['unsent'] === true)).toEqual([]);
  await act(async () => fireEvent.click(screen.getByTestId('import-leave')));
  await screen.findByTestId('import-open');
  expect(screen.queryByTestId('discard')).toBeNull();
});

test('a file without changes is closed at once, and the way out never stands where the next step was', async () => {
  await openSample();
  const next = screen.getByTestId('go-on').parentElement;
  expect(next?.contains(screen.getByTestId('import-leave'))).toBe(false);
  expect(next?.querySelectorAll('button').length).toBe(1);
  await act(async () => fireEvent.click(screen.getByTestId('import-leave')));
  await screen.findByTestId('import-open');
  expect(screen.queryByTestId('discard')).toBeNull();
});

test.each(['site-switch', 'person'])('Escape closes the menu %s and nothing behind it', async (menu) => {
  await openSample();
  await act(async () => fireEvent.click(screen.getByTestId('step-columns')));
  const at = () => document.querySelector('[aria-current="step"]')?.textContent;
  await act(async () => fireEvent.click(screen.getByTestId(menu)));
  const open = await waitFor(() => {
    const found = document.querySelector('[role="menu"]');
    expect(found).not.toBeNull();
    return found as HTMLElement;
  });
  await act(async () => fireEvent.keyDown(open, { key: 'Escape' }));
  await waitFor(() => expect(document.querySelector('[role="menu"]')).toBeNull());
  expect(at()).toBe('Columns');
  await act(async () => fireEvent.keyDown(document.body, { key: 'Escape' }));
  expect(at()).toBe('File');
});
