import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { App } from '@/app/App';
import { initTranslations } from '@/base/words';
import type { AppView, StorageView } from '@/ipc/bindings';
import { mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { appState, operation, plantOverview } from '@/test/samples';

const storage: StorageView = {
  journalBytes: 346_000_000,
  eventsBytes: 12_000_000,
  logsBytes: 1_000_000,
  unverifiedBytes: 3_000_000,
  unverifiedOmitted: 17,
  unverifiedOmittedSince: '2026-11-22T06:00:00Z',
  backups: [{ file: 'journal', path: '/x/backups/day.sqlite', bytes: 5_000_000, at: '2026-11-22T06:00:00Z', beforeUpdate: false }],
  dailyKept: 3,
  beforeUpdatesKept: 2,
  retentionManaged: false,
  retention: { rowsDays: 365, eventsDays: null, mostMegabytes: null, scheduled: false },
};
const purgeResult = { submissions: 2, rows: 40, requests: 4, events: 0, changes: 7, bytesBefore: 2_000_000, bytesAfter: 1_000_000 };

let calls: { command: string; args: Record<string, unknown> }[] = [];
let state: AppView = appState(true);

beforeAll(async () => {
  await Promise.all([initTranslations(), import('./SettingsPage')]);
});

beforeEach(() => {
  calls = [];
  state = appState(true);
  const answers: Record<string, (args: Record<string, unknown>) => unknown> = {
    app_state: () => state,
    operations: () => [operation()],
    plant_overview: () => plantOverview(),
    samples: () => [],
    submission_list: () => [],
    storage_view: () => storage,
    retention_save: () => null,
    purge: (args) => ({ ...purgeResult, dryRun: args['dryRun'] }),
    salvages_acknowledge: () => {
      state = { ...state, salvages: [] };
      return null;
    },
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

function renderSettings() {
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
}

test('settings say what is kept, and a purge is looked at before it is made', async () => {
  renderSettings();
  fireEvent.click(await screen.findByTestId('nav-settings'));
  expect((await screen.findByTestId('storage-sizes', {}, { timeout: 20_000 })).textContent).toContain('346 MB');
  expect(screen.getByTestId('storage-unverified').textContent).toContain('17. Remove the stored ones');
  expect(screen.getByTestId('backup-rule').textContent).toContain('latest 3');
  expect((screen.getByTestId('purge') as HTMLButtonElement).disabled).toBe(true);
  fireEvent.click(screen.getByTestId('purge-look'));
  expect((await screen.findByTestId('purged')).textContent).toContain('rows 40');
  expect(screen.getByTestId('purged').textContent).toContain('Recorded changes of the team: 7.');
  fireEvent.click(screen.getByTestId('purge'));
  await waitFor(() => expect(screen.getByTestId('purged').textContent).toContain('Removed'));
  const dry = calls.filter(({ command }) => command === 'purge').map(({ args }) => args['dryRun']);
  expect(dry).toEqual([true, false]);
});

test('a damaged file that was replaced is said until somebody knows', async () => {
  state.salvages = [
    { file: 'journal', at: '2026-11-22T06:00:00Z', damagedFile: '/x/damaged/journal.sqlite', backupAt: null, whole: false, missingRows: [[7, 12]], counts: { recovered: 3, lost: 2, rows: 88, lostRows: 12 } },
  ];
  renderSettings();
  const notice = await screen.findByTestId('salvaged');
  expect(notice.textContent).toContain('/x/damaged/journal.sqlite');
  expect(notice.textContent).toContain('Recovered: submissions 3, rows 88. Missing: rows of these 12, other submissions at most 2.');
  fireEvent.click(screen.getByTestId('salvaged-seen'));
  await waitFor(() => expect(screen.queryByTestId('salvaged')).toBeNull());
});

test('where nothing of the history could be read, that is said', async () => {
  state.salvages = [
    { file: 'journal', at: '2026-11-22T06:00:00Z', damagedFile: '/x/damaged/journal.sqlite', backupAt: null, whole: false, missingRows: [], counts: { recovered: 0, lost: null, rows: 0, lostRows: 0 } },
  ];
  renderSettings();
  const notice = await screen.findByTestId('salvaged');
  expect(notice.textContent).toContain('nothing of the history could be read');
  expect(notice.textContent).not.toContain('recovered everything');
  expect(notice.textContent).toContain("can't be determined");
});
