import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { App } from '@/app/App';
import { initTranslations } from '@/base/words';
import type { AppView, ConnectionCheck } from '@/ipc/bindings';
import { mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { appState, operation, plantOverview } from '@/test/samples';

const check: ConnectionCheck = {
  site: 'practice',
  outcome: 'failed',
  transcript: '> GET http://127.0.0.1:1/connect/authorize',
  steps: [
    { part: 'tcp', target: 'erp.test:443', outcome: 'ok', milliseconds: 12, finding: 'tcp-made', parameters: { host: 'erp.test:443' }, details: null },
    {
      part: 'tls',
      target: 'erp.test:443',
      outcome: 'failed',
      milliseconds: 40,
      finding: 'tls-unknown-issuer',
      parameters: { host: 'erp.test:443', issuer: 'Works Root CA' },
      details: 'UnknownIssuer',
    },
  ],
};

let calls: { command: string; args: Record<string, unknown> }[] = [];
let state: AppView = appState(true);

beforeAll(async () => {
  await Promise.all([initTranslations(), import('./SettingsPage')]);
});

beforeEach(() => {
  calls = [];
  state = appState(true);
  const answers: Record<string, () => unknown> = {
    app_state: () => state,
    operations: () => [operation()],
    plant_overview: () => plantOverview(),
    samples: () => [],
    submission_list: () => [],
    site_check: () => check,
    vault_unlock: () => null,
    vault_create: () => null,
    transcript_save: () => null,
  };
  mockWindows('main');
  mockIPC(
    (command, args) => {
      calls.push({ command, args: (args ?? {}) as Record<string, unknown> });
      return answers[command]?.();
    },
    { shouldMockEvents: true },
  );
});

afterEach(cleanUp);

function renderSettings() {
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
}

const argumentsOf = (command: string) => calls.find((call) => call.command === command)?.args;

test('a locked file with secrets is asked for when the window opens', async () => {
  state = { ...state, vault: 'locked' };
  renderSettings();
  fireEvent.change(await screen.findByTestId('vault-passphrase'), { target: { value: 'correct horse' } });
  fireEvent.click(screen.getByTestId('vault-unlock-confirm'));
  await waitFor(() => expect(argumentsOf('vault_unlock')).toEqual({ passphrase: 'correct horse' }));
  await waitFor(() => expect(screen.queryByTestId('vault-unlock')).toBeNull());
});

test('secrets can be kept with a passphrase that is typed twice', async () => {
  renderSettings();
  fireEvent.click(await screen.findByTestId('nav-settings'));
  expect((await screen.findByTestId('vault')).textContent).toContain('in memory until you close Takt');
  fireEvent.click(screen.getByTestId('vault-ask-create'));
  fireEvent.change(await screen.findByTestId('vault-new'), { target: { value: 'correct horse' } });
  fireEvent.change(screen.getByTestId('vault-again'), { target: { value: 'correct' } });
  expect(screen.getByTestId('vault-create-confirm')).toHaveProperty('disabled', true);
  fireEvent.change(screen.getByTestId('vault-again'), { target: { value: 'correct horse' } });
  fireEvent.click(screen.getByTestId('vault-create-confirm'));
  await waitFor(() => expect(argumentsOf('vault_create')).toEqual({ passphrase: 'correct horse' }));
});

test('a connection is checked step by step, with a sentence on what to do', async () => {
  renderSettings();
  fireEvent.click(await screen.findByTestId('nav-settings'));
  fireEvent.click(await screen.findByTestId('check-practice'));
  const tls = await screen.findByTestId('connection-tls');
  expect(tls.textContent).toContain('signed by Works Root CA, which this computer doesn\'t know');
  expect(screen.getByTestId('connection-tcp').textContent).toContain('Connection: OK 12 ms');
  fireEvent.click(screen.getByTestId('transcript-save'));
  await waitFor(() => expect(argumentsOf('transcript_save')).toMatchObject({ text: check.transcript }));
});
