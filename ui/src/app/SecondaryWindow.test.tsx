import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { initTranslations } from '@/base/words';
import type { WindowView } from '@/ipc/bindings';
import { emit, mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { page, readOperation } from '@/test/readSamples';
import { appState } from '@/test/samples';
import { App } from './App';

const preferences = { language: 'en', look: 'light', density: 'compact' } as const;
const list: WindowView = { kind: 'list', operation: 'work-orders.list', parameters: { code: 'A-1' }, find: '' };

let calls: { command: string; args: Record<string, unknown> }[] = [];

beforeAll(async () => {
  await Promise.all([initTranslations(), import('@/features/browse/BrowsePage')]);
});

beforeEach(() => {
  calls = [];
  const answers: Record<string, (args: Record<string, unknown>) => unknown> = {
    app_state: () => appState(true),
    operations: () => [readOperation()],
    read_filters: () => ({ parameters: {}, limit: 100 }),
    read_spans: () => [],
    browse_page: ({ page: number }) => page(number as number),
    browse_rows: () => ({ rows: [], positions: [], shown: 0, of: 0, unknown: [] }),
  };
  mockWindows('view-1');
  mockIPC(
    (command, args) => {
      calls.push({ command, args: (args ?? {}) as Record<string, unknown> });
      return answers[command]?.((args ?? {}) as Record<string, unknown>) ?? null;
    },
    { shouldMockEvents: true },
  );
});

afterEach(cleanUp);

async function renderWindow(): Promise<void> {
  render(<App preferences={preferences} view={list} />);
  await screen.findByText('of 12');
}

function argumentsOf(command: string): unknown[] {
  return calls.filter((call) => call.command === command).map((call) => call.args);
}

test('a list stands there alone, as it was filtered, and is called by its site', async () => {
  await renderWindow();
  expect(argumentsOf('browse_page')).toMatchObject([{ query: { operation: 'work-orders.list', parameters: { code: 'A-1' } } }]);
  await waitFor(() => expect(document.title).toMatch(/ – Practice$/u));
  for (const own of ['nav-import', 'palette-open', 'open-window', 'browse-work-orders.list']) expect(screen.queryByTestId(own)).toBeNull();
  // These commands belong to the main window.
  for (const command of ['set_native_texts', 'close_guard', 'browse_last_list_save', 'recent_files']) expect(argumentsOf(command)).toEqual([]);
});

test('what is looked at from then on is told, so that it is found again', async () => {
  await renderWindow();
  await waitFor(() => expect(argumentsOf('window_view_change').at(-1)).toEqual({ view: list }));
  const code = screen.getByTestId('parameter-code');
  fireEvent.change(code, { target: { value: 'A-7' } });
  fireEvent.submit(code.closest('form')!);
  await waitFor(() => expect(argumentsOf('window_view_change').at(-1)).toEqual({ view: { ...list, parameters: { code: 'A-7' } } }));
});

test('it closes by its key, leads to the main window, and follows what is set there', async () => {
  await renderWindow();
  fireEvent.keyDown(document.body, { key: 'w', ctrlKey: true });
  expect(argumentsOf('view_window_close')).toHaveLength(1);
  fireEvent.click(screen.getByTestId('to-main-window'));
  expect(argumentsOf('main_window_open')).toEqual([{ place: { page: 'any' } }]);
  await act(() => emit('preferences-changed', { window: 'main', preferences: { ...preferences, look: 'dark' } }));
  await waitFor(() => expect(document.documentElement.dataset.look).toBe('dark'));
  expect(argumentsOf('preferences_save')).toEqual([]);
});
