import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import axe from 'axe-core';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { App } from '@/app/App';
import { queryClient } from '@/base/queryClient';
import { initTranslations } from '@/base/words';
import type { SharedChangeView, TeamCheckView, TeamJoinProgress, TeamJoinView, TeamView } from '@/ipc/bindings';
import type { Channel } from '@/ipc/channel';
import { mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { appState, operation, plantOverview, preconditionProblem } from '@/test/samples';

const address = 'postgres://anna@db.example:5432/takt';
const password = 'correct horse';
const found: TeamCheckView = {
  address: 'db.example:5432/takt',
  user: 'anna',
  server: '17.2',
  schema: 1,
  latencyMilliseconds: 1.249,
  clockSeconds: -95,
  megabytes: 12.34,
  running: [{ submission: 7, desk: 'bert' }],
  approvalRules: [{ service: 'https://works.example', rowsAbove: 100, deletes: true }],
};
const joined: TeamJoinView = { check: found, carried: 3, open: 1, events: 1200, targets: 1, knownTargets: 0, pausedTargets: 0 };
const member: TeamView = { address: found.address, user: 'anna', byEnvironment: false };

const change: SharedChangeView = {
  number: 8,
  kind: 'view',
  change: 'changed',
  site: 'works',
  operation: 'materials.list',
  name: 'Late',
  at: '2026-03-02T08:00:00Z',
  person: 'bert@pc2',
  login: 'bert',
  latest: true,
};

let changes: SharedChangeView[] = [];
let restore: () => unknown = () => null;
let calls: { command: string; args: Record<string, unknown> }[] = [];
let team: TeamView | null = null;
let checked: () => TeamCheckView | null = () => found;
let join: (channel: Channel<TeamJoinProgress>) => TeamJoinView | Promise<TeamJoinView> = () => joined;

beforeAll(async () => {
  await Promise.all([initTranslations(), import('../SettingsPage')]);
});

beforeEach(() => {
  calls = [];
  team = null;
  changes = [];
  restore = () => null;
  checked = () => found;
  join = () => joined;
  const answers: Record<string, (args: Record<string, unknown>) => unknown> = {
    app_state: () => appState(true),
    operations: () => [operation()],
    plant_overview: () => plantOverview(),
    samples: () => [],
    submission_list: () => [],
    team_view: () => team,
    team_join: ({ channel }) => join(channel as Channel<TeamJoinProgress>),
    ticket_stop: () => null,
    team_check: () => checked(),
    team_leave: () => true,
    team_changes: () => changes,
    team_restore: () => restore(),
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

async function renderSettings() {
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  fireEvent.click(await screen.findByTestId('nav-settings'));
  return await screen.findByTestId('settings-team', {}, { timeout: 20_000 });
}

async function findViolations(): Promise<string[]> {
  document.title = 'Takt';
  const { violations } = await axe.run(document, { rules: { 'color-contrast': { enabled: false } }, resultTypes: ['violations'] });
  return violations.map(({ id }) => id);
}

function throwProblem(code: 'team-away' | 'team-failed', parameters = {}): never {
  throw { code, message: '', hint: '', parameters, reasons: [], logId: null, details: null };
}

test('a team is joined by its address, what its database says is shown, and no password stays', async () => {
  const section = await renderSettings();
  expect(section.textContent).toContain('Share one history');
  expect(screen.getByTestId<HTMLButtonElement>('team-join').disabled).toBe(true);
  join = () => throwProblem('team-failed', { case: 'not-set-up' });
  fireEvent.change(screen.getByTestId('team-address'), { target: { value: ` ${address} ` } });
  fireEvent.change(screen.getByTestId('team-password'), { target: { value: password } });
  fireEvent.click(screen.getByTestId('team-join'));
  expect((await screen.findByTestId('problem')).textContent).toContain("isn't set up for a team");

  join = () => joined;
  fireEvent.click(screen.getByTestId('team-join'));
  expect((await screen.findByTestId('team-joined')).textContent).toContain('from the next start');
  expect(calls.findLast(({ command }) => command === 'team_join')?.args).toMatchObject({ address, password });
  expect(screen.getByTestId('team-joined').textContent).toContain('3 submissions from this computer were added');
  expect(screen.getByTestId('team-joined').textContent).toContain('1 submission has pending or unconfirmed rows');
  const facts = screen.getByTestId('team-checked').textContent;
  for (const fact of ['db.example:5432/takt', '17.2', '1.2 ms', '1 min 35 s behind', '12.3 MB', 'bert: submission 7']) expect(facts).toContain(fact);
  expect(facts).toContain("Submissions of more than 100 rows to https://works.example, and all deletions, need a second person's approval.");
  expect(screen.queryByTestId('team-password')).toBeNull();
  expect(await findViolations()).toEqual([]);
  const cachedStates = [...queryClient.getQueryCache().getAll(), ...queryClient.getMutationCache().getAll()].map(({ state }) => state);
  await waitFor(() => expect(JSON.stringify(cachedStates)).not.toContain(password));
  const joining = queryClient.getMutationCache().getAll().filter(({ options }) => options.gcTime === 0);
  await waitFor(() => expect(joining).toEqual([]));
});

test('without a password none is sent', async () => {
  await renderSettings();
  fireEvent.change(screen.getByTestId('team-address'), { target: { value: address } });
  fireEvent.click(screen.getByTestId('team-join'));
  await screen.findByTestId('team-joined');
  expect(calls.findLast(({ command }) => command === 'team_join')?.args).toMatchObject({ address, password: null });
});

test('while a team is joined its progress is shown, and it can be stopped', async () => {
  await renderSettings();
  let stop: (cause: unknown) => void = () => undefined;
  join = (channel) => {
    channel.onmessage({ carried: 3, total: 12, events: 500, totalEvents: 1200 });
    return new Promise((_, reject) => (stop = reject));
  };
  fireEvent.change(screen.getByTestId('team-address'), { target: { value: address } });
  fireEvent.click(screen.getByTestId('team-join'));
  const progress = await screen.findByTestId('team-join-progress');
  expect(progress.textContent).toContain('3 of 12 submissions');
  expect(progress.textContent).toContain('500 of 1,200 events');
  expect(await findViolations()).toEqual([]);
  fireEvent.click(screen.getByTestId('team-join-stop'));
  const { ticket } = calls.findLast(({ command }) => command === 'team_join')?.args ?? {};
  await waitFor(() => expect(calls.findLast(({ command }) => command === 'ticket_stop')?.args).toEqual({ ticket }));
  stop(preconditionProblem('joining-stopped', { carried: '3' }));
  expect((await screen.findByTestId('problem')).textContent).toContain('joining was stopped');
  expect(screen.queryByTestId('team-join-progress')).toBeNull();
  expect(screen.queryByTestId('team-joined')).toBeNull();
});

test('a team is checked, and left once that is confirmed', async () => {
  team = member;
  await renderSettings();
  expect((await screen.findByTestId('team-facts')).textContent).toBe('Databasedb.example:5432/taktUser nameanna');
  fireEvent.click(screen.getByTestId('team-check'));
  expect((await screen.findByTestId('team-checked')).textContent).toContain('17.2');
  checked = () => throwProblem('team-away');
  fireEvent.click(screen.getByTestId('team-check'));
  expect((await screen.findByTestId('problem')).textContent).toContain("can't be reached");
  expect(screen.queryByTestId('team-checked')).toBeNull();

  fireEvent.click(screen.getByTestId('team-leave'));
  const confirm = await screen.findByTestId('team-leave-confirm');
  expect(calls.some(({ command }) => command === 'team_leave')).toBe(false);
  fireEvent.click(confirm);
  expect((await screen.findByTestId('team-left')).textContent).toContain('your own history');
  expect(screen.getByTestId('team-join')).toBeDefined();
});

test('before the next start there is nothing to check', async () => {
  team = member;
  checked = () => null;
  await renderSettings();
  fireEvent.click(await screen.findByTestId('team-check'));
  expect((await screen.findByTestId('team-next-start')).textContent).toContain('from the next start');
});

test('what the environment sets is not left here', async () => {
  team = { ...member, byEnvironment: true };
  await renderSettings();
  expect((await screen.findByTestId('team-by-environment')).textContent).toContain('TAKT_TEAM_URL');
  expect(screen.queryByTestId('team-leave')).toBeNull();
  expect(screen.getByTestId('team-check')).toBeDefined();
});

test('who changed what is listed, and what was before comes back once that is confirmed', async () => {
  team = member;
  const earlier: SharedChangeView = { ...change, number: 7, kind: 'mapping', change: 'added', site: '', name: 'Material, Plant', person: 'anna@pc1', latest: false };
  changes = [change, earlier];
  await renderSettings();
  const rows = await screen.findAllByTestId('team-change');
  expect(rows.map((row) => row.textContent)).toEqual([
    expect.stringMatching(/bert@pc2View “Late” changedworks · .+Restore$/),
    expect.stringMatching(/anna@pc1Mapping for “Material, Plant” added(?!.*Restore)/),
  ]);
  expect(await findViolations()).toEqual([]);
  fireEvent.click(screen.getByTestId('team-restore'));
  const confirm = await screen.findByTestId('team-restore-confirm');
  expect(calls.some(({ command }) => command === 'team_restore')).toBe(false);
  restore = () => throwProblem('precondition' as 'team-failed', { obstacle: 'shared-changed-since' });
  fireEvent.click(confirm);
  expect((await screen.findByTestId('problem')).textContent).toContain('has changed again');
  restore = () => {
    changes = [{ ...change, number: 9, person: 'anna@pc1' }, { ...change, latest: false }, earlier];
    return null;
  };
  fireEvent.click(confirm);
  await waitFor(() => expect(screen.queryByTestId('team-restore-confirm')).toBeNull());
  await waitFor(() => expect(screen.getAllByTestId('team-change')).toHaveLength(3));
  expect(calls.findLast(({ command }) => command === 'team_restore')?.args).toEqual({ number: 8 });
});

test('a team in which nobody changed anything says so', async () => {
  team = member;
  const section = await renderSettings();
  await waitFor(() => expect(section.textContent).toContain('Nobody has changed'));
  expect(screen.queryByTestId('team-changes')).toBeNull();
});
