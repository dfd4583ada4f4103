import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { App } from '@/app/App';
import { initTranslations } from '@/base/words';
import { mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { appState } from '@/test/samples';

let saved: unknown[] = [];

beforeAll(async () => {
  // The test DOM has no fonts, whose loading a text area observes.
  Object.defineProperty(document, 'fonts', { value: new EventTarget(), configurable: true });
  await initTranslations();
});

beforeEach(async () => {
  saved = [];
  const answers: Record<string, (args: unknown) => unknown> = {
    app_state: () => appState(true),
    operations: () => [],
    submission_list: () => [],
    recent_files: () => [],
    samples: () => [],
    contract_document: () => ({ components: { securitySchemes: { oauth2: { flows: { authorizationCode: { scopes: { all: '' } } } } } } }),
    site_save: (args) => {
      saved.push(args);
      return { secretForgotten: false, proxyPasswordForgotten: false, certificatePassphraseForgotten: false, signedOut: false };
    },
  };
  mockWindows('main');
  mockIPC((command, args) => answers[command]?.(args), { shouldMockEvents: true });
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  fireEvent.click(await screen.findByTestId('nav-settings'));
  fireEvent.click(await screen.findByTestId('site-add'));
});

afterEach(cleanUp);

function type(testId: string, value: string): void {
  fireEvent.change(screen.getByTestId(testId), { target: { value } });
}

test('the next step has the focus in its first field', async () => {
  await screen.findByTestId('site-new');
  fireEvent.click(screen.getByTestId('site-next'));
  expect(screen.getByText('Enter a web address, such as https://mes.example.com.')).toBeDefined();
  expect(document.activeElement).toBe(screen.getByTestId('site-address'));
  type('site-address', 'https://works.example');
  fireEvent.click(screen.getByTestId('site-next'));
  await screen.findByTestId('site-form');
  expect(document.activeElement).toBe(screen.getByTestId('site-name'));
});

test('saving an incomplete site marks the missing fields and focuses the first one', async () => {
  await screen.findByTestId('site-new');
  type('site-address', 'https://works.example');
  fireEvent.click(screen.getByTestId('site-next'));
  await screen.findByTestId('site-form');
  expect(screen.queryByText('Fill in this field.')).toBeNull();
  fireEvent.click(screen.getByTestId('site-save'));
  const marked = () => [...document.querySelectorAll('[aria-invalid="true"]')].map((field) => (field as HTMLInputElement).name);
  expect(marked()).toEqual(['authUrl', 'clientId']);
  expect(document.activeElement).toBe(screen.getByTestId('site-authUrl'));
  expect(saved).toEqual([]);
  type('site-authUrl', 'https://login.example');
  expect(marked()).toEqual(['clientId']);
  type('site-clientId', 'takt');
  fireEvent.click(screen.getByTestId('site-save'));
  await waitFor(() => expect(saved).toHaveLength(1));
});
