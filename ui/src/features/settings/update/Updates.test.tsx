import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { App } from '@/app/App';
import { initTranslations } from '@/base/words';
import type { UpdateSettings, UpdateView } from '@/ipc/bindings';
import { mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { appState, operation, plantOverview } from '@/test/samples';

const channel = 'https://updates.example/takt.json';
const updatesOff: UpdateView = {
  settings: { channel: null, daily: false },
  managed: false,
  installed: '0.1.0',
  checked: null,
  problem: null,
  newer: null,
  dismissed: false,
};
const newer = { version: '0.2.0', date: '2026-12-01', notes: '<b>Faster</b>\nSafer', download: 'https://updates.example/get' };

let calls: string[] = [];
let view: UpdateView = updatesOff;
let found: Partial<UpdateView> = {};
let installable = false;

beforeAll(async () => {
  await Promise.all([initTranslations(), import('../SettingsPage')]);
});

beforeEach(() => {
  calls = [];
  view = updatesOff;
  found = {};
  installable = false;
  const answers: Record<string, (args: Record<string, unknown>) => unknown> = {
    app_state: () => appState(true),
    operations: () => [operation()],
    plant_overview: () => plantOverview(),
    samples: () => [],
    submission_list: () => [],
    update_view: () => view,
    update_save: (args) => {
      view = { ...updatesOff, settings: args['settings'] as UpdateSettings };
      return null;
    },
    update_check: () => (view = { ...view, ...found }),
    update_download: () => true,
    update_installable: () => installable,
    update_install: () => null,
    update_dismiss: () => {
      view = { ...view, dismissed: true };
      return null;
    },
  };
  mockWindows('main');
  mockIPC(
    (command, args) => {
      calls.push(command);
      return answers[command]?.((args ?? {}) as Record<string, unknown>);
    },
    { shouldMockEvents: true },
  );
});

afterEach(cleanUp);

async function renderSettings() {
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  fireEvent.click(await screen.findByTestId('nav-settings'));
}

function isDisabled(id: string): boolean {
  return (screen.getByTestId(id) as HTMLButtonElement).disabled;
}

test('a channel is entered, kept and asked, and a newer version is told as text', async () => {
  await renderSettings();
  expect((await screen.findByTestId('update-state', {}, { timeout: 20_000 })).textContent).toContain('No update channel is set');
  expect([isDisabled('update-save'), isDisabled('update-check'), isDisabled('update-daily')]).toEqual([true, true, true]);
  fireEvent.change(screen.getByTestId('update-channel'), { target: { value: ` ${channel} ` } });
  expect(isDisabled('update-check')).toBe(true);
  fireEvent.click(screen.getByTestId('update-save'));
  await waitFor(() => expect(isDisabled('update-check')).toBe(false));
  expect(view.settings).toEqual({ channel, daily: false });
  expect(screen.getByTestId('update-state').textContent).toContain('Not checked yet');

  found = { newer, checked: '2026-12-02T08:00:00Z' };
  fireEvent.click(screen.getByTestId('update-check'));
  expect((await screen.findByTestId('update-newer')).textContent).toBe('Version 0.2.0 of Takt is available. Dec 1, 2026');
  expect(screen.getByTestId('update-notes').innerHTML).toBe('&lt;b&gt;Faster&lt;/b&gt;\nSafer');
  fireEvent.click(screen.getByTestId('update-download'));
  await waitFor(() => expect(calls).toContain('update_download'));
});

test('up to date and not checked are said apart, and a version that was known stays', async () => {
  view = { ...updatesOff, settings: { channel, daily: true }, checked: '2026-12-02T08:00:00Z' };
  await renderSettings();
  expect((await screen.findByTestId('update-state', {}, { timeout: 20_000 })).textContent).toContain('Takt 0.1.0 is up to date.');
  expect(screen.queryByTestId('update-newer')).toBeNull();
  const parameters = { case: 'unreachable', what: channel };
  const problem = { code: 'update-channel-failed' as const, message: '', hint: '', parameters, reasons: [], logId: null, details: null };
  found = { problem, newer: { ...newer, download: null, notes: null } };
  fireEvent.click(screen.getByTestId('update-check'));
  expect((await screen.findByTestId('problem')).textContent).toContain(`The update channel ${channel} can't be reached.`);
  expect(screen.getByTestId('update-newer').textContent).toContain('0.2.0');
  expect(screen.queryByTestId('update-download')).toBeNull();
  expect(screen.getByTestId('update-state').textContent).not.toContain('up to date');
});

test('what can not be installed from here is not offered', async () => {
  view = { ...updatesOff, settings: { channel, daily: true }, checked: '2026-12-02T08:00:00Z', newer };
  await renderSettings();
  await screen.findByTestId('update-newer', {}, { timeout: 20_000 });
  await waitFor(() => expect(calls).toContain('update_installable'));
  expect(screen.queryByTestId('update-install')).toBeNull();
});

test('what can be installed from here is', async () => {
  view = { ...updatesOff, settings: { channel, daily: true }, checked: '2026-12-02T08:00:00Z', newer };
  installable = true;
  await renderSettings();
  fireEvent.click(await screen.findByTestId('update-install', {}, { timeout: 20_000 }));
  await waitFor(() => expect(calls).toContain('update_install'));
});

test('that the daily check failed is one quiet line', async () => {
  const parameters = { case: 'unreachable', what: channel };
  const problem = { code: 'update-channel-failed' as const, message: '', hint: '', parameters, reasons: [], logId: null, details: null };
  view = { ...updatesOff, settings: { channel, daily: true }, problem };
  await renderSettings();
  expect((await screen.findByTestId('update-failed', {}, { timeout: 20_000 })).textContent).toContain("can't be reached");
  expect(screen.queryByRole('alert')).toBeNull();
});

test('a newer version is noticed once', async () => {
  view = { ...updatesOff, settings: { channel, daily: true }, checked: '2026-12-02T08:00:00Z', newer };
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  expect((await screen.findByTestId('update-notice')).textContent).toContain('Version 0.2.0');
  fireEvent.click(screen.getByTestId('update-notice-dismiss'));
  await waitFor(() => expect(screen.queryByTestId('update-notice')).toBeNull());
  expect(calls).toContain('update_dismiss');
});
