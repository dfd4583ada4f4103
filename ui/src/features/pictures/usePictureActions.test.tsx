import { MantineProvider } from '@mantine/core';
import { act, renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { PreferencesProvider } from '@/base/preferences';
import { initTranslations } from '@/base/words';
import { clearMocks, mockIPC } from '@/ipc/mocks';
import { createBoxes } from './boards/board';
import { usePictureActions } from './usePictureActions';

const visiblePart = { from: 0, to: 10, row: 0, rows: 1 };
const chartHandle = { current: { visiblePart: () => visiblePart, show: () => undefined, png: () => 'data:image/png;base64,iVBORw0KGgo=' } };
const board = { axis: 'time' as const, lanes: [], boxes: createBoxes(), looks: [], items: [], range: visiblePart, initialRange: visiblePart, now: null, background: null };
let calls: { command: string; args: unknown; paper: string }[] = [];
let paper = '';

beforeAll(initTranslations);
beforeEach(() => {
  calls = [];
  mockIPC((command, args) => {
    calls.push({ command, args, paper });
    return null;
  });
});
afterEach(clearMocks);

function renderActions() {
  const wrapper = ({ children }: { children: ReactNode }) => (
    <PreferencesProvider first={{ language: 'en', look: 'light', density: 'compact' }}>
      <MantineProvider>{children}</MantineProvider>
    </PreferencesProvider>
  );
  return renderHook(
    () => {
      const made = usePictureActions(chartHandle, board, 'Orders: Plan / reality');
      paper = made.paper;
      return made;
    },
    { wrapper },
  );
}

test('the picture is on the paper before the system is asked to print', async () => {
  const { result } = renderActions();
  act(() => result.current.act('print'));
  await waitFor(() => expect(calls.find(({ command }) => command === 'window_print')?.paper).toBe(chartHandle.current.png()));
  act(() => void window.dispatchEvent(new Event('afterprint')));
  expect(result.current.paper).toBe('');
});

test('a browser that prints by itself finds the picture at once', () => {
  const { result } = renderActions();
  // The event is synchronous, because the page must be ready when its handlers have returned.
  window.dispatchEvent(new Event('beforeprint'));
  expect(result.current.paper).toBe(chartHandle.current.png());
});

test('a picture is saved as a PNG under a name that every system takes', async () => {
  const { result } = renderActions();
  act(() => result.current.act('save'));
  await waitFor(() => expect(calls.find(({ command }) => command === 'picture_save')?.args).toMatchObject({ png: 'iVBORw0KGgo=', name: 'Orders  Plan   reality' }));
});
