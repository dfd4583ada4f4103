import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';

import { PreferencesProvider } from '@/base/preferences';
import { queryClient } from '@/base/queryClient';
import { startWords } from '@/base/words';
import type { ImportView } from '@/ipc/bindings';
import { mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { appState, importView } from '@/test/samples';

import { LinksDialog } from './LinksDialog';

let links = 0;

beforeAll(async () => {
  await startWords();
});

beforeEach(() => {
  mockWindows('main');
  mockIPC(
    (command) => {
      if (command === 'app_state') return appState(true);
      if (command === 'links_of_import') return { links, templates: [1] };
      if (command === 'links_affected') return { running: 0, planned: 0, orders: [], total: 0, complete: true };
      return null;
    },
    { shouldMockEvents: true },
  );
});

afterEach(cleanUp);

function withReadyRows(readyRows: number): ImportView {
  links = readyRows;
  const view = importView();
  return { ...view, totals: { ...view.totals, readyRows } };
}

test('a check that ends while the dialog is open changes the number to confirm', async () => {
  const dialog = (view: ImportView) => (
    <QueryClientProvider client={queryClient}>
      <PreferencesProvider first={{ language: 'en', look: 'light', density: 'compact' }}>
        <MantineProvider env="test">
          <LinksDialog
            view={view}
            seen={null}
            rows={view.totals.readyRows}
            busy={false}
            error={null}
            confirm={vi.fn<() => void>()}
            skipClaimed={vi.fn<() => void>()}
            close={vi.fn<() => void>()}
          />
        </MantineProvider>
      </PreferencesProvider>
    </QueryClientProvider>
  );
  const confirm = () => screen.getByTestId<HTMLButtonElement>('confirm-delete');
  const { rerender } = render(dialog(withReadyRows(145)));
  await waitFor(() => expect(confirm().textContent).toContain('145'));
  fireEvent.change(screen.getByTestId('confirm-count'), { target: { value: '144' } });
  expect(confirm().disabled).toBe(true);
  rerender(dialog(withReadyRows(144)));
  await waitFor(() => expect(confirm().disabled).toBe(false));
  expect(confirm().textContent).toContain('144');
});
