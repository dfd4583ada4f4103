import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { initTranslations } from '@/base/words';
import type { Preferences } from '@/ipc/bindings';
import { mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { appState, operation } from '@/test/samples';
import { App } from '@/app/App';

let saved: Preferences[] = [];

beforeAll(initTranslations);

beforeEach(async () => {
  saved = [];
  mockWindows('main');
  mockIPC(
    (command, args) => {
      if (command === 'app_state') return appState(true);
      if (command === 'operations') return [operation()];
      if (command === 'preferences_save') saved.push((args as { preferences: Preferences }).preferences);
      return ['samples', 'submission_list', 'orders_recent'].includes(command) ? [] : null;
    },
    { shouldMockEvents: true },
  );
  await act(async () => {
    render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  });
});

afterEach(cleanUp);

async function press(key: string, held: Partial<KeyboardEventInit> = {}): Promise<void> {
  await act(async () => {
    fireEvent.keyDown(document.body, { key, ...held });
  });
}

function currentPageId(): string | undefined {
  return document.querySelector<HTMLElement>('nav [aria-current="page"]')?.dataset.testid;
}

test('back and forward lead through the pages that were open, by key and by mouse', async () => {
  await act(async () => fireEvent.click(await screen.findByTestId('nav-settings')));
  await act(async () => fireEvent.click(screen.getByTestId('nav-plant')));
  await press('ArrowLeft', { altKey: true });
  expect(currentPageId()).toBe('nav-settings');
  await act(async () => {
    fireEvent.mouseUp(document.body, { button: 3 });
  });
  expect(currentPageId()).toBe('nav-today');
  expect(screen.getByTestId<HTMLButtonElement>('go-back').disabled).toBe(true);
  await act(async () => fireEvent.click(screen.getByTestId('go-forward')));
  expect(currentPageId()).toBe('nav-settings');
});

test('keys make everything larger and smaller, and that is remembered', async () => {
  await press('+', { ctrlKey: true });
  await press('+', { ctrlKey: true });
  await press('-', { ctrlKey: true });
  await press('0', { ctrlKey: true });
  expect(saved.map((one) => one.zoom)).toEqual([110, 125, 110, null]);
});

test('? lists the keys, but not where a text is typed', async () => {
  const input = document.body.appendChild(document.createElement('input'));
  await act(async () => {
    fireEvent.keyDown(input, { key: '?' });
  });
  expect(screen.queryByTestId('shortcuts')).toBeNull();
  input.remove();
  await press('?');
  expect((await screen.findByTestId('shortcuts')).textContent).toContain('Alt+LeftBack');
});
