import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import axe from 'axe-core';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { App } from '@/app/App';
import { initTranslations } from '@/base/words';
import type { ApprovalView, PreviewRow, SubmissionView } from '@/ipc/bindings';
import { emit, mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { appState, approval, operation, plan, plantOverview, submission } from '@/test/samples';

const pending = { pending: 4, sending: 0, accepted: 0, rejected: 0, unconfirmed: 0, skipped: 0 };
const decided = { decided: '2026-11-21T08:00:00Z', decidedBy: 'bert', note: 'as planned' };
const counts = { new: 3, changed: 1, same: 0, notLinked: 0, conflict: 0, unknown: 0, blocked: 0 };

let calls: { command: string; args: Record<string, unknown> }[] = [];
let answers: Record<string, (args: Record<string, unknown>) => unknown> = {};
let steps: SubmissionView[] = [];

beforeAll(async () => {
  await Promise.all([initTranslations(), import('@/features/history/HistoryPage')]);
});

beforeEach(() => {
  calls = [];
  setApproval({});
  const one = () => steps[0];
  answers = {
    app_state: () => appState(true),
    operations: () => [operation()],
    plant_overview: () => plantOverview(),
    samples: () => [],
    submission_list: () => steps,
    submission_get: one,
    plan_get: () => plan(...steps),
    submission_rows: () => ({ total: 0, offset: 0, rows: [] }),
    history_list: () => ({ total: steps.length, offset: 0, submissions: steps }),
    history_context: () => ({ chain: steps, mapping: null }),
    approvals_waiting: () => steps.slice(0, 1).filter((step) => step.approval?.decision === null),
    approval_rows: ({ after }) => ({ counts, rows: [changedRow(Number(after) + 2)], next: after === 0 ? 1 : null }),
    approval_decide: ({ decision }) => {
      setApproval({ decision: decision as ApprovalView['decision'], ...decided });
      return plan(...steps);
    },
    submission_resume: () => plan(...steps),
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

/** Sets the current submission and its approval. */
function setApproval(some: Partial<ApprovalView>): void {
  const state = some.decision === 'declined' ? 'stopped' : 'paused';
  steps = [submission({ id: 7, person: 'anna', state, counts: pending, approval: approval({ isOwn: false, ...some }) })];
}

function changedRow(number: number): PreviewRow {
  const change = { field: 'parts[A].note', old: 'old', new: `new ${String(number)}`, conflict: null };
  return { sheet: 'Materials', row: number, rows: 1, key: `M-${String(number)}`, kind: 'changed', fields: [change], errors: [], reason: null };
}

async function renderPanel(): Promise<HTMLElement> {
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  fireEvent.click(await screen.findByTestId('nav-history'));
  fireEvent.click(await screen.findByTestId('open-7', {}, { timeout: 20_000 }));
  return await screen.findByTestId('approval');
}

function argumentsOf(command: string): Record<string, unknown> | undefined {
  return calls.find((call) => call.command === command)?.args;
}

test('a colleague sees the rows as they were previewed, approves, and whoever wants to sends them', async () => {
  const panel = await renderPanel();
  expect(panel.textContent).toMatch(/anna wants to send 4 rows to Practice\. Asked on Nov 21, 2026/u);
  expect(screen.getByTestId('headline').textContent).toBe('Waiting for approval. Nothing was sent to Practice. ');
  expect((await screen.findByTestId('approval-counts')).textContent).toBe('+ New 3≠ Changed 1');
  expect((await screen.findByTestId('approval-rows')).textContent).toContain('update2M-2parts.note (A) old new 2');
  expect(screen.queryByTestId('resume')).toBeNull();
  expect(screen.queryByTestId('approval-deletes')).toBeNull();
  document.title = 'Takt';
  const found = await axe.run(document, { rules: { 'color-contrast': { enabled: false } }, resultTypes: ['violations'] });
  expect(found.violations.map(({ id }) => id)).toEqual([]);

  fireEvent.click(screen.getByTestId('approval-more'));
  await waitFor(() => expect(screen.getByTestId('approval-rows').textContent).toContain('M-3'));
  expect(screen.queryByTestId('approval-more')).toBeNull();
  fireEvent.change(screen.getByLabelText('Note (optional)'), { target: { value: 'as planned' } });
  fireEvent.click(screen.getByTestId('approval-approve'));
  const resume = await screen.findByTestId('resume');
  expect(argumentsOf('approval_decide')).toEqual({ id: 7, decision: 'approved', note: 'as planned' });
  expect(resume.textContent).toContain('Send now');
  expect(screen.getByTestId('approval').textContent).toMatch(/bert approved this on .*\. Anyone in the team can send it now\./u);
  expect(screen.getByTestId('approval-note-said').textContent).toBe('as planned');
  expect(screen.queryByTestId('approval-approve')).toBeNull();
  fireEvent.click(resume);
  await waitFor(() => expect(argumentsOf('submission_resume')).toEqual({ id: 7, confirmed: null, skipClaimed: false }));
});

test('declining is asked about once more, and what is declined is not sent', async () => {
  setApproval({ deletes: true });
  await renderPanel();
  expect(screen.getByTestId('approval-deletes').textContent).toContain("can't be undone");
  fireEvent.click(screen.getByTestId('approval-decline'));
  const confirm = await screen.findByTestId('approval-decline-confirm');
  expect(screen.getByText('Decline 4 rows for Practice?')).toBeDefined();
  expect(argumentsOf('approval_decide')).toBeUndefined();
  fireEvent.click(confirm);
  await waitFor(() => expect(screen.getByTestId('approval').dataset['state']).toBe('declined'));
  expect(argumentsOf('approval_decide')).toEqual({ id: 7, decision: 'declined', note: '' });
  expect(screen.getByTestId('approval').textContent).toContain("It won't be sent.");
  expect(screen.getByTestId('headline').textContent).toContain('Declined.');
  expect(screen.queryByTestId('resume')).toBeNull();
  expect(screen.queryByTestId('stop')).toBeNull();
});

test('whoever asked waits, and may only withdraw it', async () => {
  setApproval({ isOwn: true });
  const panel = await renderPanel();
  expect(panel.textContent).toContain("Waiting for a colleague's approval");
  expect(panel.textContent).toContain("4 rows for Practice aren't sent until a colleague approves them.");
  for (const button of ['approval-approve', 'approval-note', 'approval-rows', 'resume', 'approvals-waiting', 'background-submission']) {
    expect([button, screen.queryByTestId(button)]).toEqual([button, null]);
  }
  expect(argumentsOf('approval_rows')).toBeUndefined();
  fireEvent.click(screen.getByTestId('approval-decline'));
  expect(await screen.findByText('Withdraw 4 rows for Practice?')).toBeDefined();
  fireEvent.click(screen.getByText('Cancel'));
  expect(argumentsOf('approval_decide')).toBeUndefined();
  // The colleague's decision comes from another computer as an event.
  setApproval({ isOwn: true, decision: 'approved', ...decided });
  await act(() => emit('team-submission-changed', steps[0]));
  expect((await screen.findByTestId('resume')).textContent).toContain('Send now');
});

test('of a plan each step shows its rows', async () => {
  const [first] = steps;
  if (!first) throw new Error('no submission');
  steps = [first, { ...first, id: 8, sheet: 'Orders' }];
  await renderPanel();
  const second = await screen.findByTestId('approval-step-8');
  expect(within(second).getByRole('heading').textContent).toBe('Orders · Materials');
  await waitFor(() => expect(within(second).getByTestId('approval-rows').textContent).toContain('M-2'));
  expect(calls.filter(({ command }) => command === 'approval_rows').map((call) => call.args['id'])).toEqual([7, 8]);
});

test('a decision that somebody else made first is told', async () => {
  answers['approval_decide'] = () => {
    throw { code: 'precondition', message: '', hint: '', parameters: { obstacle: 'state-changed' }, reasons: [], logId: null, details: null };
  };
  await renderPanel();
  fireEvent.click(screen.getByTestId('approval-approve'));
  expect((await screen.findByTestId('problem')).dataset['code']).toBe('precondition');
});

test('the history and the bar tell what waits, as soon as a colleague asks', async () => {
  steps = [submission({ id: 7, state: 'finished', counts: { ...pending, pending: 0, accepted: 4 } })];
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  fireEvent.click(await screen.findByTestId('nav-history'));
  const grid = await screen.findByTestId('grid-history', {}, { timeout: 20_000 });
  await waitFor(() => expect(grid.textContent).toContain('finished'));
  expect(screen.queryByTestId('approvals-waiting')).toBeNull();
  setApproval({});
  await act(() => emit('team-submission-changed', steps[0]));
  const hint = await screen.findByTestId('approvals-waiting');
  expect(hint.textContent).toBe('1 to approve');
  await waitFor(() => expect(screen.getByTestId('grid-history').textContent).toContain('waiting for approval'));
  expect(screen.getByTestId('grid-history').textContent).not.toContain('paused');
  fireEvent.click(hint);
  expect((await screen.findByTestId('approval')).dataset['state']).toBe('waiting');
  setApproval({ decision: 'declined', ...decided });
  await act(() => emit('team-submission-changed', steps[0]));
  await waitFor(() => expect(screen.queryByTestId('approvals-waiting')).toBeNull());
  fireEvent.click(screen.getByTestId('back'));
  await waitFor(() => expect(screen.getByTestId('grid-history').textContent).toContain('declined'));
  expect(screen.getByTestId('grid-history').textContent).not.toContain('stopped');
});
