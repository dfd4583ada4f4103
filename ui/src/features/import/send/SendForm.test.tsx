import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import axe from 'axe-core';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { App } from '@/app/App';
import { startWords } from '@/base/words';
import { mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { appState, importView, keysClaimed, operation, plan, plantOverview, submission } from '@/test/samples';

let skipped: unknown[] = [];
let isOver = false;

/** Behaves like the engine while a colleague is sending some of the same rows. */
function start({ skip }: Record<string, unknown>) {
  skipped.push(skip);
  if (isOver || (skip as { claimed: boolean }).claimed) return plan(submission());
  throw keysClaimed();
}

const answers: Record<string, (given: Record<string, unknown>) => unknown> = {
  app_state: () => appState(true),
  operations: () => [operation()],
  plant_overview: () => plantOverview(),
  samples: () => [{ operation: 'materials.sync', file: 'materials.xlsx' }],
  import_sample: importView,
  submission_list: () => [],
  submission_start: start,
  plan_get: () => plan(submission()),
  submission_get: () => submission(),
  submission_rows: () => ({ total: 0, offset: 0, rows: [] }),
};

beforeAll(async () => {
  await Promise.all([startWords(), import('../ImportPage')]);
});

beforeEach(() => {
  skipped = [];
  isOver = false;
  mockWindows('main');
  mockIPC((command, given) => answers[command]?.((given ?? {}) as Record<string, unknown>), { shouldMockEvents: true });
});

afterEach(cleanUp);

async function refused(): Promise<HTMLElement> {
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  fireEvent.click(await screen.findByTestId('sample-materials.sync'));
  await screen.findByTestId('step-file');
  fireEvent.click(screen.getByTestId('step-send'));
  fireEvent.click(await screen.findByTestId('send'));
  return await screen.findByTestId('claimed');
}

test('who sends the same rows is named, with the time as people write it, and they can be skipped', async () => {
  const note = await refused();
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
  await refused();
  fireEvent.click(screen.getByTestId('claimed-again'));
  await waitFor(() => expect(skipped).toHaveLength(2));
  await waitFor(() => expect(screen.getByTestId<HTMLButtonElement>('claimed-again').disabled).toBe(false));
  isOver = true;
  fireEvent.click(screen.getByTestId('claimed-again'));
  await screen.findByTestId('batch-strip');
  expect(skipped).toEqual(Array.from({ length: 3 }, () => ({ errors: true, claimed: false })));
});
