import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import axe from 'axe-core';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';

import { App } from '@/app/App';
import { PreferencesProvider } from '@/base/preferences';
import { queryClient } from '@/base/queryClient';
import { initTranslations } from '@/base/words';
import type { ImportView } from '@/ipc/bindings';
import { mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { appState, importView, keysClaimedProblem, operation, plan, plantOverview, submission } from '@/test/samples';
import { LinksDialog } from './SendForm';

let skipped: unknown[] = [];
let choices: unknown[] = [];
let isOver = false;
let links = 0;

/** Behaves like the engine while a colleague is sending some of these rows. */
function startSubmission({ skip, how }: Record<string, unknown>) {
  skipped.push(skip);
  choices.push(how);
  if (isOver || (skip as { claimed: boolean }).claimed) return plan(submission());
  throw keysClaimedProblem();
}

const answers: Record<string, (args: Record<string, unknown>) => unknown> = {
  app_state: () => appState(true),
  operations: () => [operation()],
  plant_overview: () => plantOverview(),
  samples: () => [{ operation: 'materials.sync', file: 'materials.xlsx' }],
  import_sample: importView,
  import_rows: () => ({ total: 0, offset: 0, rows: [] }),
  submission_list: () => [],
  submission_start: startSubmission,
  plan_get: () => plan(submission()),
  submission_get: () => submission(),
  submission_rows: () => ({ total: 0, offset: 0, rows: [] }),
  links_of_import: () => ({ links, templates: [1] }),
  links_affected: () => ({ running: 0, planned: 0, orders: [], total: 0, complete: true }),
};

beforeAll(async () => {
  await Promise.all([initTranslations(), import('../ImportPage')]);
});

beforeEach(() => {
  skipped = [];
  choices = [];
  isOver = false;
  answers.import_sample = importView;
  mockWindows('main');
  mockIPC((command, args) => answers[command]?.((args ?? {}) as Record<string, unknown>), { shouldMockEvents: true });
});

afterEach(cleanUp);

async function openRefusal(): Promise<HTMLElement> {
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  fireEvent.click(await screen.findByTestId('sample-materials.sync'));
  await screen.findByTestId('step-file');
  fireEvent.click(screen.getByTestId('step-send'));
  fireEvent.click(await screen.findByTestId('send'));
  return await screen.findByTestId('claimed');
}

test('who sends the same rows is named, with the time as people write it, and they can be skipped', async () => {
  const note = await openRefusal();
  expect(note.textContent).toContain('bert@pc7 is sending 2 of these rows from week.xlsx (since today, ');
  expect(note.textContent).toContain('Try again');
  document.title = 'Takt';
  const found = await axe.run(document, { rules: { 'color-contrast': { enabled: false } }, resultTypes: ['violations'] });
  expect(found.violations.map(({ id }) => id)).toEqual([]);
  fireEvent.click(screen.getByTestId('claimed-skip'));
  await screen.findByTestId('batch-strip');
  expect(skipped).toEqual([
    { errors: true, claimed: false },
    { errors: true, claimed: true },
  ]);
});

test('the same is sent again once the colleague is through', async () => {
  await openRefusal();
  fireEvent.click(screen.getByTestId('claimed-again'));
  await waitFor(() => expect(skipped).toHaveLength(2));
  await waitFor(() => expect(screen.getByTestId<HTMLButtonElement>('claimed-again').disabled).toBe(false));
  isOver = true;
  fireEvent.click(screen.getByTestId('claimed-again'));
  await screen.findByTestId('batch-strip');
  expect(skipped).toEqual(Array.from({ length: 3 }, () => ({ errors: true, claimed: false })));
});

test('corrected rows are sent with the chosen number of entries per request', async () => {
  const follows = { submission: 7, relation: 'retry' as const };
  const restored = { changed: '2026-11-23T06:00:00Z', edited: 1, excluded: 0, position: { step: 'check', follows } };
  answers.import_sample = () => ({ ...importView(), draft: { kept: true, restored, earlier: null } });
  isOver = true;
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  fireEvent.click(await screen.findByTestId('sample-materials.sync'));
  fireEvent.click(await screen.findByTestId('step-send'));
  await screen.findByTestId('send');
  fireEvent.change(screen.getByTestId('batch-size'), { target: { value: '3' } });
  fireEvent.click(screen.getByTestId('send'));
  await waitFor(() => expect(choices).toEqual([{ trial: null, follows, batchSize: 3 }]));
});

function withReadyRows(readyRows: number): ImportView {
  links = readyRows;
  const view = importView();
  return { ...view, totals: { ...view.totals, readyRows } };
}

test('a check that ends while the dialog is open changes the number to confirm', async () => {
  const dialog = (view: ImportView) => (
    <QueryClientProvider client={queryClient}>
      <PreferencesProvider first={{ language: 'en', look: 'light', density: 'compact' }}>
        <MantineProvider env="test">
          <LinksDialog
            view={view}
            previewChoice={null}
            rows={view.totals.readyRows}
            busy={false}
            error={null}
            confirm={vi.fn<() => void>()}
            skipClaimed={vi.fn<() => void>()}
            close={vi.fn<() => void>()}
          />
        </MantineProvider>
      </PreferencesProvider>
    </QueryClientProvider>
  );
  const confirm = () => screen.getByTestId<HTMLButtonElement>('confirm-delete');
  const { rerender } = render(dialog(withReadyRows(145)));
  await waitFor(() => expect(confirm().textContent).toContain('145'));
  fireEvent.change(screen.getByTestId('confirm-count'), { target: { value: '144' } });
  expect(confirm().disabled).toBe(true);
  rerender(dialog(withReadyRows(144)));
  await waitFor(() => expect(confirm().disabled).toBe(false));
  expect(confirm().textContent).toContain('144');
});

test('rows with warnings are named before they are sent, also if they were found after the preview', async () => {
  const view = importView();
  answers.import_sample = () => ({ ...view, totals: { ...view.totals, warningRows: 2 } });
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  fireEvent.click(await screen.findByTestId('sample-materials.sync'));
  await screen.findByTestId('step-file');
  fireEvent.click(screen.getByTestId('step-send'));
  expect((await screen.findByTestId('warnings-go')).textContent).toContain('2 rows have warnings.');
  fireEvent.click(screen.getByTestId('look-at-warnings'));
  await screen.findByTestId('counts-warnings');
});
