import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import axe from 'axe-core';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { App } from '@/app/App';
import { initTranslations } from '@/base/words';
import { mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { appState, approval, importView, operation, plan, plantOverview, submission } from '@/test/samples';

const works = 'Works Süd';
let confirmations: (string | null)[] = [];
let trials: unknown[] = [];
let answers: typeof defaultAnswers = {};

function productionState() {
  const state = appState(true);
  const sites = state.sites.map((one) => ({ ...one, site: { ...one.site, name: works, kind: 'production' as const } }));
  return { ...state, sites };
}

/** Behaves like the engine, which sends nothing without the site's name. */
function startSubmission({ confirmed, how }: Record<string, unknown>) {
  trials.push((how as { trial: unknown }).trial);
  confirmations.push(typeof confirmed === 'string' ? confirmed : null);
  if (confirmed === works) return plan(submission({ site: works }));
  const refusal = { message: '', hint: '', parameters: { site: works }, reasons: [], logId: null, details: null };
  throw { code: 'confirmation-needed', ...refusal };
}

const previewCounts = { new: 3, changed: 0, same: 0, notLinked: 0, conflict: 0, unknown: 0, blocked: 1 };
const preview = {
  import: 1,
  site: works,
  file: 'materials.xlsx',
  steps: [{ sheet: 'Materials', operation: 'materials.sync', list: 'materials.list', unshownKey: [], problem: null, counts: previewCounts, fields: [], alarms: [], requests: 1, undoableChanges: 0, undoableConflicts: 0 }],
  counts: previewCounts,
  seconds: 0,
  stale: false,
};

const defaultAnswers: Record<string, (args: Record<string, unknown>) => unknown> = {
  app_state: productionState,
  operations: () => [operation()],
  plant_overview: () => plantOverview(),
  samples: () => [{ operation: 'materials.sync', file: 'materials.xlsx' }],
  import_sample: () => ({ ...importView(), destination: { site: works, fixed: null } }),
  submission_list: () => [],
  submission_start: startSubmission,
  plan_get: () => plan(submission({ site: works })),
  submission_get: () => submission({ site: works }),
  preview_build: () => preview,
  preview_rows: () => ({ total: 0, offset: 0, rows: [] }),
  import_sheet_rows: () => ({ columns: [], rows: [] }),
  submission_rows: () => ({ total: 0, offset: 0, rows: [] }),
};

beforeAll(async () => {
  await Promise.all([initTranslations(), import('../ImportPage')]);
});

beforeEach(() => {
  confirmations = [];
  trials = [];
  answers = { ...defaultAnswers };
  mockWindows('main');
  mockIPC((command, args) => answers[command]?.((args ?? {}) as Record<string, unknown>), { shouldMockEvents: true });
});

afterEach(cleanUp);

async function clickSend(): Promise<void> {
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  fireEvent.click(await screen.findByTestId('sample-materials.sync'));
  await screen.findByTestId('step-file');
  await openPreviewFirst();
  fireEvent.click(await screen.findByTestId('send'));
  await screen.findByTestId('guard');
}

/** Opens the preview, which a production site requires, and then returns to the send step. */
async function openPreviewFirst(): Promise<void> {
  fireEvent.click(screen.getByTestId('step-send'));
  const first = await screen.findByTestId('preview-first');
  expect(screen.queryByTestId('send')).toBeNull();
  fireEvent.click(first);
  await screen.findByTestId('preview');
  fireEvent.click(screen.getByTestId('go-on'));
  expect((await screen.findByTestId('send-undo')).textContent).toContain("can't be removed afterwards");
}

test('a production site is written to once its name is typed, and the button still says what goes', async () => {
  await clickSend();
  expect(document.querySelector('[data-kind="production"]')).not.toBeNull();
  const confirm = screen.getByTestId<HTMLButtonElement>('guard-confirm');
  expect(screen.getByTestId('send').textContent).toBe('Send 3 rows to Works Süd, skip 1');
  expect(confirm.textContent).toBe('Send 3 rows to Works Süd, skip 1');
  const name = screen.getByTestId('guard-name');
  for (const wrong of ['', 'yes', 'works süd']) {
    fireEvent.change(name, { target: { value: wrong } });
    expect(confirm.disabled).toBe(true);
  }
  document.title = 'Takt';
  const found = await axe.run(document, { rules: { 'color-contrast': { enabled: false } }, resultTypes: ['violations'] });
  expect(found.violations.map(({ id }) => id)).toEqual([]);
  fireEvent.change(name, { target: { value: works } });
  fireEvent.click(confirm);
  await screen.findByTestId('batch-strip');
  expect(confirmations).toEqual([null, works]);
});

test('where nothing was sent like this before, one row is sent as a test first', async () => {
  answers['operations'] = () => [{ ...operation(), untried: true }];
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  fireEvent.click(await screen.findByTestId('sample-materials.sync'));
  await screen.findByTestId('step-file');
  await openPreviewFirst();
  expect(screen.getByTestId('send-untried')).toBeDefined();
  const trial = await screen.findByTestId('send-trial');
  expect(trial.textContent).toBe('Send the first row as a test');
  fireEvent.click(trial);
  await screen.findByTestId('guard');
  expect(trials).toEqual([1]);
});

test('what a colleague has to approve first is told at once, and nothing is there to send it', async () => {
  const waitingSubmission = submission({ site: works, state: 'paused', approval: approval() });
  Object.assign(answers, { submission_start: () => plan(waitingSubmission), plan_get: () => plan(waitingSubmission), submission_get: () => waitingSubmission });
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  fireEvent.click(await screen.findByTestId('sample-materials.sync'));
  await screen.findByTestId('step-file');
  await openPreviewFirst();
  fireEvent.click(await screen.findByTestId('send'));
  expect((await screen.findByTestId('approval')).textContent).toContain("Waiting for a colleague's approval");
  expect(screen.getByTestId('results')).toBeDefined();
  expect(screen.getByTestId('new-import').dataset['variant']).toBe('filled');
  for (const button of ['resume', 'pause', 'stop', 'batch-strip']) expect([button, screen.queryByTestId(button)]).toEqual([button, null]);
});

test('who cancels has sent nothing, reads no complaint, and can send later', async () => {
  await clickSend();
  fireEvent.click(screen.getByTestId('guard-cancel'));
  await waitFor(() => expect(screen.queryByTestId('guard')).toBeNull());
  expect(screen.queryByTestId('problem')).toBeNull();
  expect(confirmations).toEqual([null]);
  await waitFor(() => expect(screen.getByTestId<HTMLButtonElement>('send').disabled).toBe(false));
});
