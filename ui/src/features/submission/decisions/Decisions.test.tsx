import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';

import { App } from '@/app/App';
import { queryClient } from '@/base/queryClient';
import { initTranslations } from '@/base/words';
import type { Operation, SubmissionView } from '@/ipc/bindings';
import { mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { appState, approval, importView, keysClaimedProblem, operation, plan, plantOverview, preconditionProblem, submission } from '@/test/samples';
import { RowDecision } from '../results/ResultDetail';
import { storeSubmission } from '../common/useSubmission';
import { nextAction } from './Decisions';

const counts = { pending: 0, sending: 0, accepted: 3, rejected: 2, unconfirmed: 4, skipped: 0 };
const unconfirmed = submission({ id: 7, state: 'finished', file: 'a.xlsx', counts, total: 9 });
const readable: Operation = {
  ...operation(),
  readBack: { list: 'materials.list', key: [], every: [], entry: null, asks: [], lists: [], provenance: operation().provenance },
};

let calls: { command: string; args: Record<string, unknown> }[] = [];
let answers: Record<string, (args: Record<string, unknown>) => unknown> = {};
let operations: Operation[] = [];
let currentSubmission: SubmissionView = unconfirmed;

beforeAll(async () => {
  await Promise.all([initTranslations(), import('@/features/history/HistoryPage')]);
});

beforeEach(() => {
  calls = [];
  operations = [readable];
  currentSubmission = unconfirmed;
  const row = { sheet: 'Sheet1', row: 2, key: 'A', result: 'unconfirmed', reasons: ["The service didn't respond in time."], batch: 1 };
  answers = {
    app_state: () => ({ ...appState(true), interrupted: [currentSubmission] }),
    operations: () => operations,
    plant_overview: () => plantOverview(),
    samples: () => [],
    submission_list: () => [currentSubmission],
    submission_get: () => currentSubmission,
    submission_rows: () => ({ total: 1, offset: 0, rows: [row] }),
    submission_search: () => ({ total: 1, offset: 0, rows: [row] }),
    submission_rejected: () => 2,
    submission_skipped: () => 0,
    submission_read_back: () => ({ ...currentSubmission, counts: { ...counts, accepted: 7, unconfirmed: 0 } }),
    submission_decide: () => ({ ...currentSubmission, counts: { ...counts, accepted: 7, unconfirmed: 0 } }),
    submission_undoable: () => 1,
    submission_undo_plan: () => ({
      submission: 7,
      site: 'practice',
      operation: 'materials.sync',
      rows: 3,
      restored: 1,
      same: 0,
      changedSince: 1,
      created: 1,
      deleted: 0,
      unknown: 0,
      told: [{ sheet: 'Sheet1', row: 3, key: 'B', reasons: ['Changed since: description is Washer.'] }],
    }),
    submission_undo: () => plan(submission({ id: 8, follows: 7, relation: 'undo' })),
    site_choose: () => null,
    import_pick: () => ({ view: null, stopped: false }),
  };
  mockWindows('main');
  mockIPC(
    (command, values) => {
      calls.push({ command, args: (values ?? {}) as Record<string, unknown> });
      return answers[command]?.((values ?? {}) as Record<string, unknown>);
    },
    { shouldMockEvents: true },
  );
});

afterEach(cleanUp);

async function renderSubmission(): Promise<void> {
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  fireEvent.click(await screen.findByTestId('interrupted-look'));
  await screen.findByTestId('grid-results', {}, { timeout: 20_000 });
}

function argumentsOf(command: string): Record<string, unknown> | undefined {
  return calls.find((call) => call.command === command)?.args;
}

test('what went to a practice plant that no longer exists can only be saved', async () => {
  currentSubmission = { ...unconfirmed, counts: { ...counts, pending: 2 }, total: 11, state: 'interrupted', plantGone: true };
  answers['app_state'] = () => appState(true);
  answers['history_list'] = () => ({ total: 1, offset: 0, submissions: [currentSubmission] });
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  // Nothing on the start page asks for a decision that isn't possible.
  await screen.findByTestId('import-open');
  expect(screen.queryByTestId('open-submission')).toBeNull();
  expect(screen.queryByTestId('background-submission')).toBeNull();
  fireEvent.click(screen.getByTestId('nav-history'));
  const opener = await screen.findByTestId('open-7', {}, { timeout: 20_000 });
  expect(screen.getByText('interrupted, plant was reset')).toBeTruthy();
  fireEvent.click(opener);
  await screen.findByTestId('plant-gone', {}, { timeout: 20_000 });
  expect(screen.getByTestId('save-results')).toBeTruthy();
  for (const id of ['resume', 'find-out', 'send-unconfirmed', 'fix-rejected', 'undo']) expect(screen.queryByTestId(id)).toBeNull();
});

test('what is unconfirmed is found out by one click where it can be read back', async () => {
  await renderSubmission();
  fireEvent.click(await screen.findByTestId('find-out'));
  await waitFor(() => expect(argumentsOf('submission_read_back')).toEqual({ id: 7, confirmed: null }));
});

test('what a look-up of unconfirmed rows found is said once it has ended', async () => {
  answers['submission_read_back'] = () => (currentSubmission = { ...currentSubmission, state: 'running', findingOut: true });
  await renderSubmission();
  fireEvent.click(await screen.findByTestId('find-out'));
  await waitFor(() => expect(screen.queryByTestId('find-out')).toBeNull());
  expect(screen.queryByTestId('look-up-result')).toBeNull();
  const { accepted, pending, unconfirmed: before } = currentSubmission.counts;
  currentSubmission = { ...currentSubmission, state: 'interrupted', findingOut: false, counts: { ...currentSubmission.counts, accepted: accepted + 1, pending: pending + 1, unconfirmed: before - 2 } };
  storeSubmission(currentSubmission);
  const result = await screen.findByTestId('look-up-result');
  expect(result.textContent).toBe(`Looked up ${before} unconfirmed rows: 1 accepted, 1 not on the service, so pending again, ${before - 2} still unconfirmed.`);
});

test('without a read side a person says what became of it, for all rows', async () => {
  operations = [operation()];
  await renderSubmission();
  fireEvent.click(await screen.findByTestId('send-unconfirmed'));
  expect(screen.queryByTestId('find-out')).toBeNull();
  fireEvent.click(await screen.findByTestId('all-arrived'));
  await waitFor(() => expect(argumentsOf('submission_decide')).toEqual({ id: 7, rows: [], decision: 'arrived', confirmed: null, skipClaimed: false }));
});

test('an undo says what can be taken back before it does so', async () => {
  await renderSubmission();
  fireEvent.click(await screen.findByTestId('undo'));
  const confirm = await screen.findByTestId('undo-confirm');
  await waitFor(() => expect(confirm.textContent).toBe('Restore 1 row on Practice'));
  expect(screen.getByTestId('undo-plan').textContent).toContain('1 row was changed after this submission and is left as it is.');
  expect(screen.getByTestId('undo-created').textContent).toContain("can't be removed");
  expect(screen.queryByTestId('undo-deleted')).toBeNull();
  fireEvent.click(confirm);
  await waitFor(() => expect(argumentsOf('submission_undo')).toEqual({ id: 7, confirmed: null, skipClaimed: false }));
});

test('a double click on undo leaves its dialog open', async () => {
  await renderSubmission();
  fireEvent.click(await screen.findByTestId('undo'));
  await screen.findByTestId('undo-plan');
  const overlay = document.querySelector('.mantine-Modal-overlay') as HTMLElement;
  fireEvent.click(overlay, { detail: 2 });
  expect(screen.getByTestId('undo-plan')).toBeTruthy();
  fireEvent.click(overlay, { detail: 1 });
  await waitFor(() => expect(screen.queryByTestId('undo-plan')).toBeNull());
});

test('an undo of rows that a colleague is sending waits, or skips them', async () => {
  answers['submission_undo'] = ({ skipClaimed }) => {
    if (skipClaimed) return plan(submission({ id: 8, follows: 7, relation: 'undo' }));
    throw keysClaimedProblem();
  };
  const skipped = () => calls.filter(({ command }) => command === 'submission_undo').map((call) => call.args['skipClaimed']);
  await renderSubmission();
  fireEvent.click(await screen.findByTestId('undo'));
  fireEvent.click(await screen.findByTestId('undo-confirm'));
  expect((await screen.findByTestId('claimed')).textContent).toContain('bert@pc7 is sending 2 of these rows from week.xlsx');
  fireEvent.click(screen.getByTestId('claimed-again'));
  await waitFor(() => expect(skipped()).toEqual([false, false]));
  await waitFor(() => expect(screen.getByTestId<HTMLButtonElement>('claimed-skip').disabled).toBe(false));
  fireEvent.click(screen.getByTestId('claimed-skip'));
  await waitFor(() => expect(skipped()).toEqual([false, false, true]));
  await waitFor(() => expect(screen.queryByTestId('claimed')).toBeNull());
});

test('all unconfirmed rows that a person sends again wait for a colleague, or are skipped, and the question stays until then', async () => {
  operations = [operation()];
  answers['submission_send_unconfirmed'] = ({ skipClaimed }) => {
    if (skipClaimed) return { ...currentSubmission, counts: { ...counts, unconfirmed: 0, skipped: 4 } };
    throw keysClaimedProblem();
  };
  const skipped = () => calls.filter(({ command }) => command === 'submission_send_unconfirmed').map((call) => call.args['skipClaimed']);
  await renderSubmission();
  fireEvent.click(await screen.findByTestId('send-unconfirmed'));
  fireEvent.click(await screen.findByTestId('send-unconfirmed-confirm'));
  expect((await screen.findByTestId('claimed')).textContent).toContain('bert@pc7 is sending 2 of these rows from week.xlsx');
  fireEvent.click(screen.getByTestId('claimed-again'));
  await waitFor(() => expect(skipped()).toEqual([false, false]));
  await waitFor(() => expect(screen.getByTestId<HTMLButtonElement>('claimed-skip').disabled).toBe(false));
  fireEvent.click(screen.getByTestId('claimed-skip'));
  await waitFor(() => expect(skipped()).toEqual([false, false, true]));
  await waitFor(() => expect(screen.queryByTestId('send-unconfirmed-confirm')).toBeNull());
});

test('a row that a person sends again waits for a colleague, or is skipped', async () => {
  operations = [operation()];
  const row = { sheet: 'Sheet1', row: 2, key: 'A', result: 'unconfirmed' as const, notLinked: false, reasons: [], batch: 1 };
  answers['submission_decide'] = ({ skipClaimed }) => {
    if (skipClaimed) return { ...currentSubmission, counts: { ...counts, unconfirmed: 3, skipped: 1 } };
    throw keysClaimedProblem();
  };
  const done = vi.fn<() => void>();
  const skipped = () => calls.filter(({ command }) => command === 'submission_decide').map((call) => call.args['skipClaimed']);
  render(
    <MantineProvider>
      <QueryClientProvider client={queryClient}>
        <RowDecision id={7} row={row} done={done} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  fireEvent.click(screen.getByTestId('row-again'));
  expect((await screen.findByTestId('claimed')).textContent).toContain('bert@pc7 is sending 2 of these rows from week.xlsx');
  expect(done).not.toHaveBeenCalled();
  fireEvent.click(screen.getByTestId('claimed-skip'));
  await waitFor(() => expect(skipped()).toEqual([false, true]));
  await waitFor(() => expect(done).toHaveBeenCalled());
});

test('the rejected rows are fixed in the file, which is asked for where it is not open', async () => {
  await renderSubmission();
  const fix = await screen.findByTestId('fix-rejected');
  expect(fix.textContent).toBe('Fix and send 2 rejected rows');
  fireEvent.click(fix);
  await waitFor(() => expect(argumentsOf('import_pick')).toBeDefined());
  expect(argumentsOf('site_choose')).toEqual({ name: 'practice' });
});

test('skipped rows are fixed in the file that was sent, without the rows that were sent', async () => {
  currentSubmission = { ...unconfirmed, hash: 'abc', counts: { ...counts, rejected: 0, unconfirmed: 0, skipped: 6 } };
  const view = { ...importView(), sentRows: 3 };
  answers['submission_skipped'] = () => 5;
  answers['recent_open'] = () => view;
  answers['import_use_submission'] = () => view;
  answers['import_fix_skipped'] = () => view;
  answers['import_rows'] = () => ({ total: 0, offset: 0, rows: [] });
  answers['import_find_problem'] = () => null;
  answers['import_check_site'] = () => view;
  await renderSubmission();
  const fix = await screen.findByTestId('fix-skipped');
  expect(fix.textContent).toBe('Fix and send 5 skipped rows');
  fireEvent.click(fix);
  expect((await screen.findByTestId('sent-rows')).textContent).toContain('3 rows of this file were already sent');
  expect(argumentsOf('recent_open')).toMatchObject({ hash: 'abc' });
  expect(argumentsOf('import_use_submission')).toEqual({ importId: view.id, submission: 7 });
  expect(argumentsOf('import_fix_skipped')).toEqual({ importId: view.id, submission: 7 });
});

test('a file that is not among the recent ones is asked for', async () => {
  currentSubmission = { ...unconfirmed, counts: { ...counts, rejected: 0, unconfirmed: 0, skipped: 6 } };
  answers['submission_skipped'] = () => 5;
  answers['recent_open'] = () => {
    throw preconditionProblem('file-gone');
  };
  await renderSubmission();
  fireEvent.click(await screen.findByTestId('fix-skipped'));
  await waitFor(() => expect(argumentsOf('import_pick')).toMatchObject({ title: 'Choose the workbook that was sent: a.xlsx' }));
});

test('what unconfirmed rows add up to stands beside the decision about all of them', async () => {
  operations = [operation()];
  answers.submission_unconfirmed_totals = () => ({
    of: 'quantity',
    by: ['materialCode', 'warehouse'],
    totals: [{ by: ['M-1', 'W1'], rows: 4, ifNot: 12, ifArrived: 14.5, unknownBefore: 1 }],
    more: 0,
  });
  await renderSubmission();
  fireEvent.click(await screen.findByTestId('send-unconfirmed'));
  const totals = await screen.findByTestId('unconfirmed-totals');
  await waitFor(() => expect(totals.textContent).toMatch(/M-1W1412?.*14\.5/));
  expect(totals.textContent).toContain("doesn't include them");
  fireEvent.click(screen.getByTestId('all-arrived'));
  await waitFor(() => expect(argumentsOf('submission_decide')).toMatchObject({ id: 7, rows: [], decision: 'arrived' }));
});

test('an undo is not offered where nothing can be put back', async () => {
  answers['submission_undoable'] = () => 0;
  await renderSubmission();
  await screen.findByTestId('fix-rejected');
  await waitFor(() => expect(argumentsOf('submission_undoable')).toEqual({ id: 7 }));
  expect(screen.queryByTestId('undo')).toBeNull();
});

const deletion: Operation = { ...readable, kind: 'delete' };

test('what was deleted can not be restored, and its workbook is opened or saved', async () => {
  operations = [deletion];
  currentSubmission = submission({ id: 7, state: 'finished', file: '', counts: { ...counts, rejected: 0, unconfirmed: 0, skipped: 3 }, total: 6, notLinked: 2 });
  answers['submission_undoable'] = () => 0;
  answers['deleted_workbook'] = () => ({ file: 'links.xlsx', path: '/takt/deleted/links.xlsx' });
  await renderSubmission();
  const note = await screen.findByTestId('no-restore');
  expect(note.textContent).toContain('The service has no operation that restores the 3 deleted links.');
  expect(note.textContent).toContain('/takt/deleted/links.xlsx');
  expect(screen.getByTestId('headline').textContent).toContain('3 skipped (2 not linked), 0 rejected.');
  expect(screen.queryByTestId('undo')).toBeNull();
  fireEvent.click(screen.getByTestId('deleted-open'));
  await waitFor(() => expect(argumentsOf('deleted_open')).toEqual({ file: 'links.xlsx' }));
  fireEvent.click(screen.getByTestId('deleted-save'));
  await waitFor(() => expect(argumentsOf('deleted_save')).toMatchObject({ file: 'links.xlsx' }));
});

test('a workbook that is gone is not offered', async () => {
  operations = [deletion];
  answers['deleted_workbook'] = () => null;
  await renderSubmission();
  expect((await screen.findByTestId('no-restore')).textContent).toContain("Their workbook isn't there any more.");
  expect(screen.queryByTestId('deleted-open')).toBeNull();
});

test('one action stands out, and what needs a person goes before what is done', () => {
  const none = { pending: 0, sending: 0, accepted: 9, rejected: 0, unconfirmed: 0, skipped: 0 };
  const known = { readable: true, open: true, skippedErrors: 0 };
  const ended = (some: Partial<typeof none>) => submission({ state: 'finished', counts: { ...none, ...some } });
  expect(nextAction(submission(), known)).toBeNull();
  expect(nextAction({ ...ended({ pending: 2, unconfirmed: 1 }), state: 'paused' }, known)).toBe('continue');
  expect(nextAction({ ...ended({ pending: 2 }), state: 'paused', approval: approval() }, known)).toBe('leave');
  expect(nextAction({ ...ended({ pending: 2 }), state: 'paused', approval: approval({ isOwn: false }) }, known)).toBeNull();
  expect(nextAction({ ...ended({ pending: 2 }), state: 'paused', approval: approval({ decision: 'approved' }) }, known)).toBe('continue');
  expect(nextAction(ended({ unconfirmed: 1, rejected: 3 }), known)).toBe('look-up');
  expect(nextAction(ended({ unconfirmed: 1, rejected: 3 }), { ...known, readable: false })).toBe('decide');
  expect(nextAction(ended({ rejected: 3 }), known)).toBe('fix');
  expect(nextAction({ ...ended({ rejected: 3 }), file: '' }, known)).toBe('leave');
  expect(nextAction(ended({ rejected: 3 }), { ...known, skippedErrors: 9 })).toBe('fix');
  expect(nextAction(ended({}), { ...known, skippedErrors: 9 })).toBe('fix-skipped');
  expect(nextAction(ended({}), { ...known, open: false })).toBe('save');
});
