import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import axe from 'axe-core';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { App } from '@/app/App';
import { initTranslations } from '@/base/words';
import type { SubmissionView } from '@/ipc/bindings';
import { mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { appState, keysClaimedProblem, operation, plan, plantOverview, preconditionProblem, submission } from '@/test/samples';

const counts = { pending: 4, sending: 0, accepted: 5, rejected: 0, unconfirmed: 0, skipped: 0 };
const before = submission({ id: 7, state: 'paused', counts, total: 9, waiting: 1 });

let resumeCalls: Record<string, unknown>[] = [];
let currentSubmission: SubmissionView = before;
let isProduction = false;
/** Number of rows that a colleague is sending. */
let claimed = 2;

/** Behaves like the engine while a colleague is sending some of the rows. */
function resumeSubmission({ confirmed, skipClaimed }: Record<string, unknown>) {
  if (isProduction && confirmed !== 'practice') throw { ...preconditionProblem(''), code: 'confirmation-needed', parameters: { site: 'practice' } };
  if (claimed > 0 && skipClaimed !== true) throw keysClaimedProblem();
  const pending = currentSubmission.counts.pending - claimed;
  currentSubmission = { ...currentSubmission, state: pending === 0 ? 'finished' : 'running', counts: { ...currentSubmission.counts, pending, skipped: claimed } };
  claimed = 0;
  return plan(currentSubmission);
}

const answers: Record<string, (args: Record<string, unknown>) => unknown> = {
  app_state: () => ({ ...appState(true), interrupted: [before] }),
  operations: () => [operation()],
  plant_overview: () => plantOverview(),
  samples: () => [],
  submission_list: () => [currentSubmission],
  submission_get: () => currentSubmission,
  plan_get: () => plan(currentSubmission),
  submission_rows: () => ({ total: 0, offset: 0, rows: [] }),
  submission_undoable: () => 0,
  submission_resume: resumeSubmission,
};

beforeAll(async () => {
  await Promise.all([initTranslations(), import('@/features/history/HistoryPage')]);
});

beforeEach(() => {
  resumeCalls = [];
  currentSubmission = before;
  isProduction = false;
  claimed = 2;
  mockWindows('main');
  mockIPC(
    (command, values) => {
      const args = (values ?? {}) as Record<string, unknown>;
      if (command === 'submission_resume') resumeCalls.push(args);
      return answers[command]?.(args);
    },
    { shouldMockEvents: true },
  );
});

afterEach(cleanUp);

function renderApp(): void {
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
}

/** Opens the submission in the history and presses the named button. */
async function openAndPress(button: string): Promise<void> {
  renderApp();
  fireEvent.click(await screen.findByTestId('interrupted-look'));
  fireEvent.click(await screen.findByTestId(button, {}, { timeout: 20_000 }));
}

/** Whether each request to resume skipped the rows that a colleague is sending. */
function skipArguments(): unknown[] {
  return resumeCalls.map((args) => args['skipClaimed']);
}

test('what is resumed without the rows that a colleague is sending goes on at once', async () => {
  await openAndPress('resume');
  expect((await screen.findByTestId('claimed')).textContent).toContain('bert@pc7 is sending 2 of these rows from week.xlsx (since today, ');
  document.title = 'Takt';
  const found = await axe.run(document, { rules: { 'color-contrast': { enabled: false } }, resultTypes: ['violations'] });
  expect(found.violations.map(({ id }) => id)).toEqual([]);
  fireEvent.click(screen.getByTestId('claimed-skip'));
  await waitFor(() => expect(screen.getByTestId('submission-state').dataset['state']).toBe('running'));
  expect(screen.queryByTestId('claimed')).toBeNull();
  expect(currentSubmission.counts).toMatchObject({ pending: 2, skipped: 2 });
  expect(resumeCalls.at(-1)).toEqual({ id: 7, confirmed: null, skipClaimed: true });
});

test('what is resumed again once the colleague is through skips nothing', async () => {
  await openAndPress('waiting-again');
  await screen.findByTestId('claimed');
  claimed = 0;
  fireEvent.click(screen.getByTestId('claimed-again'));
  await waitFor(() => expect(screen.getByTestId('submission-state').dataset['state']).toBe('running'));
  expect(skipArguments()).toEqual([false, false]);
});

test('rows that wait for others are resumed without those that a colleague is sending', async () => {
  await openAndPress('waiting-again');
  fireEvent.click(await screen.findByTestId('claimed-skip'));
  await waitFor(() => expect(screen.getByTestId('submission-state').dataset['state']).toBe('running'));
  expect(skipArguments()).toContain(true);
});

test('where a colleague is sending all that is left nothing more is to be done', async () => {
  claimed = 4;
  await openAndPress('resume');
  fireEvent.click(await screen.findByTestId('claimed-skip'));
  await waitFor(() => expect(screen.getByTestId('results').dataset['state']).toBe('finished'));
  expect(screen.queryByTestId('problem')).toBeNull();
});

test('on a production site nothing is skipped before its name is typed', async () => {
  isProduction = true;
  await openAndPress('resume');
  await typeName('practice');
  fireEvent.click(await screen.findByTestId('claimed-skip'));
  fireEvent.click(await screen.findByTestId('guard-cancel'));
  await waitFor(() => expect(screen.getByTestId<HTMLButtonElement>('resume').disabled).toBe(false));
  expect(currentSubmission.counts).toEqual(before.counts);
  fireEvent.click(screen.getByTestId('resume'));
  await typeName('practice');
  fireEvent.click(await screen.findByTestId('claimed-skip'));
  await typeName('practice');
  await waitFor(() => expect(screen.getByTestId('submission-state').dataset['state']).toBe('running'));
  expect(currentSubmission.counts).toMatchObject({ pending: 2, skipped: 2 });
});

test('the notice of what stands half done skips these rows, too', async () => {
  renderApp();
  fireEvent.click(await screen.findByTestId('interrupted-go-on'));
  fireEvent.click(await screen.findByTestId('claimed-skip'));
  await screen.findByTestId('results', {}, { timeout: 20_000 });
  expect(skipArguments().at(-1)).toBe(true);
  expect(currentSubmission.state).toBe('running');
});

async function typeName(name: string): Promise<void> {
  fireEvent.change(await screen.findByTestId('guard-name'), { target: { value: name } });
  fireEvent.click(screen.getByTestId('guard-confirm'));
}

const untouched = { pending: 9, sending: 0, accepted: 0, rejected: 0, unconfirmed: 0, skipped: 0 };

test.each([
  { trial: 5, args: untouched, isTried: false },
  { trial: 5, args: counts, isTried: true },
  { trial: 0, args: untouched, isTried: true },
  { trial: null, args: counts, isTried: false },
])('a step is tried once it has begun, or where none of its rows are: $isTried', async ({ trial, args, isTried }) => {
  currentSubmission = { ...before, trial, counts: args };
  renderApp();
  fireEvent.click(await screen.findByTestId('interrupted-look'));
  await screen.findByTestId('resume', {}, { timeout: 20_000 });
  expect(screen.queryByTestId('tried') !== null).toBe(isTried);
});
