import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { App } from '@/app/App';
import { initTranslations } from '@/base/words';
import { type CleanupLink, type TemplatesProgressed, events } from '@/ipc/bindings';
import { mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { appState, keysClaimedProblem, operation, plan, submission } from '@/test/samples';
import { templatesView } from '@/test/templateSamples';

let stored: CleanupLink[] = [];
let deleted: unknown[] = [];
let read: string[] = [];

beforeAll(async () => {
  await Promise.all([initTranslations(), import('./TemplatesPage')]);
});

beforeEach(() => {
  stored = [];
  deleted = [];
  read = [];
  mockWindows('main');
  mockIPC(
    (command, args) => {
      if (command === 'app_state') return appState(true);
      if (command === 'operations') return [operation()];
      if (command === 'samples' || command === 'submission_list' || command === 'template_lists') return [];
      if (command === 'template_remembered') return { count: 0, text: '' };
      if (command === 'template_read') {
        read.push((args as { ids: string }).ids);
        return 7;
      }
      if (command === 'cleanup_operation_codes') return ['010', '020'];
      if (command === 'template_use') return { at: '2026-11-20T08:00:00Z', complete: true, orders: 3, templates: { count: 2, text: '1, 3' } };
      if (command === 'template_view') return templatesView();
      if (command === 'cleanup_links') return stored;
      if (command === 'cleanup_set_links') {
        stored = (args as { links: CleanupLink[] }).links;
        return stored;
      }
      if (command === 'links_affected') {
        const order = { template: '1', key: 'WO-9 · 010', stage: 'running', status: 'In execution' };
        return { orders: [order], total: 1, running: 1, planned: 0, complete: true };
      }
      if (command === 'links_delete') {
        const { skipClaimed } = args as { skipClaimed: boolean };
        deleted.push(skipClaimed);
        if (!skipClaimed) throw keysClaimedProblem();
        return plan(submission({ id: 8 }));
      }
      return null;
    },
    { shouldMockEvents: true },
  );
});

afterEach(cleanUp);

async function readTemplates(): Promise<void> {
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  await act(async () => fireEvent.click(await screen.findByTestId('nav-templates')));
  fireEvent.change(await screen.findByTestId('template-ids'), { target: { value: '1-5' } });
  await act(async () => fireEvent.click(screen.getByTestId('template-read')));
  const progress = { requested: 5, settled: 5, existing: 3 };
  const done: TemplatesProgressed = { id: 7, progress, problem: null, done: true };
  await act(async () => events.templatesProgressed.emit(done));
}

test('what is not there is said in one line, and facets with their counts', async () => {
  await readTemplates();
  expect((await screen.findByTestId('templates-absent')).textContent).toBe('Not found (2): 4, 5');
  expect(screen.getByTestId('facet-count-noTime').textContent).toBe('1');
  await act(async () => fireEvent.click(screen.getByTestId('facet-empty')));
  expect(screen.getByTestId('facet-names').textContent).toBe('2');
});

test('a filter as it stands is collected with the typed operation code, and the impact names running orders first', async () => {
  await readTemplates();
  await act(async () => fireEvent.click(await screen.findByTestId('facet-twice')));
  expect(screen.getByTestId('add-links')).toHaveProperty('disabled', true);
  fireEvent.change(screen.getByTestId('operation-code'), { target: { value: '010' } });
  await act(async () => fireEvent.click(screen.getByTestId('add-links')));
  expect(stored.map(({ templateId, processCode, operationCode }) => [templateId, processCode, operationCode])).toEqual([[1, 'B', '010']]);
  const remove = await screen.findByTestId('delete-links');
  await act(async () => fireEvent.click(remove));
  expect((await screen.findByTestId('affected-running')).textContent).toContain('1 of them is running or paused.');
  expect(screen.getByTestId('confirm-delete')).toHaveProperty('disabled', true);
  fireEvent.change(screen.getByTestId('confirm-count'), { target: { value: '1' } });
  expect(screen.getByTestId('confirm-delete')).toHaveProperty('disabled', false);
});

test('links that a colleague is sending wait for that, or are left out', async () => {
  await readTemplates();
  await act(async () => fireEvent.click(await screen.findByTestId('facet-twice')));
  fireEvent.change(screen.getByTestId('operation-code'), { target: { value: '010' } });
  await act(async () => fireEvent.click(screen.getByTestId('add-links')));
  await act(async () => fireEvent.click(await screen.findByTestId('delete-links')));
  fireEvent.change(await screen.findByTestId('confirm-count'), { target: { value: '1' } });
  await act(async () => fireEvent.click(screen.getByTestId('confirm-delete')));
  expect((await screen.findByTestId('claimed')).textContent).toContain('bert@pc7 is sending 2 of these rows from week.xlsx');
  await act(async () => fireEvent.click(screen.getByTestId('claimed-again')));
  await act(async () => fireEvent.click(await screen.findByTestId('claimed-skip')));
  expect(deleted).toEqual([false, false, true]);
});

test('templates that orders use are loaded by one click', async () => {
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  await act(async () => fireEvent.click(await screen.findByTestId('nav-templates')));
  const used = await screen.findByTestId('read-used');
  expect(used.textContent).toContain('Used by orders: 2 templates');
  await act(async () => fireEvent.click(used));
  expect(read).toEqual(['1, 3']);
});

test('links are searched, the found ones are added, and operation codes are suggested', async () => {
  await readTemplates();
  fireEvent.change(await screen.findByTestId('links-find'), { target: { value: 'b' } });
  const add = screen.getByTestId('add-links');
  await waitFor(() => expect(add.textContent).toMatch(/filtered link/u));
  await act(async () => fireEvent.click(screen.getByTestId('operation-code')));
  await act(async () => fireEvent.click(await screen.findByRole('option', { name: '020', hidden: true })));
  await act(async () => fireEvent.click(add));
  expect(stored.length).toBeGreaterThan(0);
  expect(new Set(stored.map(({ processCode, operationCode }) => `${processCode} ${operationCode}`))).toEqual(new Set(['B 020']));
});
