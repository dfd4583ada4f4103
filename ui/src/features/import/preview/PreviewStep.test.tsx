import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { App } from '@/app/App';
import { initTranslations } from '@/base/words';
import { mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { appState, importView, operation, plan, plantOverview, submission } from '@/test/samples';

const nothing = { new: 0, changed: 0, same: 0, notLinked: 0, conflict: 0, unknown: 0, blocked: 0 };
let counts = nothing;
let undoable = { undoableChanges: 0, undoableConflicts: 0 };
let deletes = false;
let unshownKey: string[] = [];
let builtPreviews = 0;
let choices: unknown[] = [];

const step = () => ({ sheet: 'Materials', operation: 'materials.sync', deletes, list: 'materials.list', unshownKey, problem: null, counts, fields: [], alarms: [], requests: 1, ...undoable });
const row = { sheet: 'Materials', row: 2, rows: 1, key: 'M-1', errors: [] };

const answers: Record<string, (args: Record<string, unknown>) => unknown> = {
  app_state: () => appState(true),
  operations: () => [operation()],
  plant_overview: () => plantOverview(),
  samples: () => [{ operation: 'materials.sync', file: 'materials.xlsx' }],
  import_sample: importView,
  submission_list: () => [],
  submission_start: ({ preview }) => {
    choices.push(preview);
    return plan(submission());
  },
  plan_get: () => plan(submission()),
  submission_get: () => submission(),
  submission_rows: () => ({ total: 0, offset: 0, rows: [] }),
  preview_build: () => {
    builtPreviews += 1;
    return { import: 1, site: 'practice', file: 'materials.xlsx', steps: [step()], counts, seconds: 0, stale: false };
  },
  preview_rows: () => ({ total: 0, offset: 0, rows: [{ ...row, kind: 'unknown', fields: [], reason: 'status 503' }] }),
  import_sheet_rows: () => ({ columns: [], rows: [] }),
};

beforeAll(async () => {
  await Promise.all([initTranslations(), import('../ImportPage')]);
});

beforeEach(() => {
  [counts, deletes, unshownKey, builtPreviews, choices] = [nothing, false, [], 0, []];
  undoable = { undoableChanges: 0, undoableConflicts: 0 };
  mockWindows('main');
  mockIPC((command, args) => answers[command]?.((args ?? {}) as Record<string, unknown>), { shouldMockEvents: true });
});

afterEach(cleanUp);

async function openPreview(): Promise<void> {
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  fireEvent.click(await screen.findByTestId('sample-materials.sync'));
  await screen.findByTestId('step-file');
  fireEvent.click(screen.getByTestId('step-preview'));
  await screen.findByTestId('preview');
}

test('rows that could not be read are compared again, and only a failed read is named', async () => {
  counts = { ...nothing, unknown: 2 };
  await openPreview();
  fireEvent.click(screen.getByTestId('compare-again'));
  await waitFor(() => expect(builtPreviews).toBe(2));
  await screen.findByTestId('preview');
  expect(screen.queryByTestId('send-unchecked')).toBeNull();
  fireEvent.click(screen.getByTestId('step-send'));
  const undo = (await screen.findByTestId('send-undo')).textContent;
  expect(undo).toContain("the earlier values couldn't be read");
  expect(undo).not.toContain("doesn't show the earlier values");
});

test('deletes are called deletes, and those that were not compared are sent only by choice', async () => {
  [counts, deletes] = [{ ...nothing, changed: 1, unknown: 2 }, true];
  await openPreview();
  expect(screen.getByTestId('preview-changed').parentElement?.textContent).toBe('−Deleted1');
  const choice = screen.getByTestId<HTMLInputElement>('send-unchecked');
  expect(choice.checked).toBe(false);
  fireEvent.click(choice);
  expect(choice.checked).toBe(true);
  fireEvent.click(screen.getByTestId('step-send'));
  fireEvent.click(await screen.findByTestId('send'));
  await waitFor(() => expect(choices).toEqual([{ sendSame: false, sendUnchecked: true, conflicts: 'stop' }]));
});

test('a list that shows a part of the key is said to', async () => {
  [counts, deletes, unshownKey] = [{ ...nothing, changed: 1 }, true, ['operationCode']];
  await openPreview();
  expect(screen.getByTestId('preview-unshown-key').textContent).toContain("doesn't show “operationCode”");
});

test('an undo is promised only for rows that are sent and whose earlier values can be sent back', async () => {
  [counts, undoable] = [{ ...nothing, changed: 5, conflict: 3 }, { undoableChanges: 4, undoableConflicts: 1 }];
  await openPreview();
  const promised = () => screen.getByTestId('preview-undoable').textContent;
  expect(promised()).toContain('previous values of 4 rows');
  fireEvent.click(screen.getByTestId('conflicts-send'));
  await waitFor(() => expect(promised()).toContain('previous values of 5 rows'));
  fireEvent.click(screen.getByTestId('step-send'));
  const undo = (await screen.findByTestId('send-undo')).textContent;
  expect(undo).toContain('previous values of 5 rows');
  expect(undo).toContain("can't be sent back: 3 rows");
});
