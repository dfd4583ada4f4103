import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { App } from '@/app/App';
import { initTranslations } from '@/base/words';
import type { Fix, FindingValues, FormatView, ImportView } from '@/ipc/bindings';
import { mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { appState, importView, operation } from '@/test/samples';
import { clickFound } from '@/test/click';
import { replacementsOf } from './FixAllPanel';

let opened: ImportView;
let found: FindingValues;
let fixes: Fix[] = [];

beforeAll(async () => {
  await Promise.all([initTranslations(), import('../ImportPage')]);
});

beforeEach(() => {
  fixes = [];
  opened = importView();
  found = { column: 0, values: [], more: 0, rows: 3, later: 0, unit: null };
  mockWindows('main');
  mockIPC(
    (command, args) => {
      if (command === 'app_state') return appState(true);
      if (command === 'operations') return [operation()];
      if (command === 'samples') return [{ operation: 'materials.sync', file: 'materials.xlsx' }];
      if (command === 'import_sample') return opened;
      if (command === 'submission_list') return [];
      if (command === 'import_rows') return { total: 0, offset: 0, rows: [] };
      if (command === 'import_finding_values') return found;
      if (command === 'import_fix') {
        fixes.push((args as { fix: Fix }).fix);
        return opened;
      }
      return null;
    },
    { shouldMockEvents: true },
  );
});

afterEach(cleanUp);

async function openCheckStep(): Promise<void> {
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  await clickFound('sample-materials.sync');
  await clickFound('step-check');
}

const kind = { severity: 'error', code: 'required', field: 'code' };

test('a suggestion fills nothing in: only what was taken or typed is replaced, in every like cell', async () => {
  found.values = [
    { text: 'Stk', count: 412, suggestion: 'pcs', suggestions: ['pcs', 'pc'] },
    { text: 'x', count: 2, suggestion: null, suggestions: [] },
    { text: 'y', count: 1, suggestion: null, suggestions: ['y1', 'y2'] },
  ];
  await openCheckStep();
  await clickFound('fix-all-required');
  expect(screen.getByTestId('facet-required').getAttribute('aria-pressed')).toBe('true');
  const offered = (await screen.findAllByTestId('suggested-y')).map((button) => button.textContent);
  expect([offered, screen.getAllByTestId('suggested-Stk').length]).toEqual([['Use “y1”', 'Use “y2”'], 1]);
  const typed = (await screen.findByTestId('found-x')) as HTMLInputElement;
  await act(async () => fireEvent.change(typed, { target: { value: 'kg' } }));
  expect(screen.getByTestId('found-replace').textContent).toBe('Replace in 2 cells');
  expect((screen.getByTestId('found-Stk') as HTMLInputElement).value).toBe('');
  await act(async () => fireEvent.click(screen.getByTestId('suggested-Stk')));
  expect(screen.getByTestId('found-replace').textContent).toBe('Replace in 414 cells');
  // The button stays, so that the texts below don't move under the pointer.
  expect(screen.getByTestId('suggested-Stk').getAttribute('aria-pressed')).toBe('true');
  await act(async () => fireEvent.click(screen.getByTestId('found-replace')));
  const texts = [
    { from: 'Stk', to: 'pcs' },
    { from: 'x', to: 'kg' },
  ];
  expect(fixes).toEqual([{ kind: 'replace-many', column: 0, texts }]);
});

test('every row of a finding is left out by one click', async () => {
  await openCheckStep();
  await clickFound('fix-all-required');
  expect(screen.queryByTestId('found-keep-first')).toBeNull();
  await clickFound('found-exclude');
  expect(fixes).toEqual([{ kind: 'exclude-found', finding: kind, keep_first: false }]);
});

test('a unit behind all numbers is removed by one click', async () => {
  opened.facets = [{ severity: 'error', code: 'not-a-number', field: 'code', count: 3 }];
  found = { ...found, unit: { unit: 'Stk', count: 3 } };
  await openCheckStep();
  await clickFound('fix-all-not-a-number');
  expect((await screen.findByTestId('found-remove-unit')).textContent).toBe('Remove “Stk” in 3 cells');
  await clickFound('found-remove-unit');
  expect(fixes).toEqual([{ kind: 'fix-found', finding: { ...kind, code: 'not-a-number' }, way: 'remove-unit' }]);
});

test('of doubled keys the first row can stay', async () => {
  opened.facets = [{ severity: 'error', code: 'duplicate-key', field: 'code', count: 3 }];
  found = { column: null, values: [], more: 0, rows: 3, later: 2, unit: null };
  await openCheckStep();
  await clickFound('fix-all-duplicate-key');
  await clickFound('found-keep-first');
  expect(fixes).toEqual([{ kind: 'exclude-found', finding: { ...kind, code: 'duplicate-key' }, keep_first: true }]);
});

test('a suggestion that nobody took replaces nothing', () => {
  const values = [{ text: 'Stk', count: 4, suggestion: 'pcs', suggestions: ['pcs', 'pc'] }];
  expect(replacementsOf(values, {})).toEqual([]);
  expect(replacementsOf(values, { Stk: 'pcs' })).toEqual([{ from: 'Stk', to: 'pcs', count: 4 }]);
  expect(replacementsOf(values, { Stk: ' ' })).toEqual([]);
  expect(replacementsOf(values, { Stk: 'Stk' })).toEqual([]);
});

test('merged cells are filled down by one click, and nothing is offered without them', async () => {
  opened.reading = { ...opened.reading, merged: { cells: 214, columns: ['A', 'B'] } };
  await openCheckStep();
  expect((await screen.findByTestId('merged')).textContent).toContain('Merged cells in A, B');
  await act(async () => fireEvent.click(screen.getByTestId('fill-merged')));
  expect(fixes).toEqual([{ kind: 'fill-merged' }]);
});

test('the panel takes the focus, Escape closes it alone, and the focus goes back', async () => {
  await openCheckStep();
  const button = await screen.findByTestId('fix-all-required');
  button.focus();
  await act(async () => fireEvent.click(button));
  const panel = await screen.findByTestId('detail');
  expect(panel.contains(document.activeElement)).toBe(true);
  await act(async () => fireEvent.keyDown(document.activeElement!, { key: 'Escape' }));
  expect(screen.queryByTestId('detail')).toBeNull();
  expect(document.activeElement).toBe(button);
  expect(screen.getByTestId('step-check').getAttribute('aria-current')).toBe('step');
});

test('where the whole column waits for one word, that word is offered first', async () => {
  const [column] = opened.columns;
  const choices = ['day-first', 'month-first'] as const;
  const examples = choices.map((choice) => ({ choice, cell: null, read: null }));
  const format = { kind: 'date-order', verdict: 'ambiguous', shown: null, choice: null, proofs: 0, of: 4, examples } satisfies FormatView;
  opened.columns = [{ ...column!, formats: [format] }];
  opened.facets = [{ severity: 'error', code: 'ambiguous-date', field: 'code', count: 4 }];
  found.values = [{ text: '03/02/2027', count: 4, suggestion: null, suggestions: [] }];
  await openCheckStep();
  await clickFound('fix-all-ambiguous-date');
  expect((await screen.findByTestId('found-format')).textContent).toContain('Day first');
  expect(screen.getByTestId('choose-month-first-A')).toBeTruthy();
});

test('where rejected rows are fixed, those rows are what is shown and counted', async () => {
  opened.rejectedRows = 7;
  opened.counts = { ...opened.counts, rows: 220, excluded: 213, errorRows: 0, readyRows: 7 };
  opened.facets = [];
  await openCheckStep();
  const rejected = await screen.findByTestId('counts-rejected');
  expect([rejected.textContent, rejected.closest('button')?.getAttribute('aria-pressed')]).toEqual(['7', 'true']);
  expect(screen.queryByTestId('counts-rows')).toBeNull();
  expect(screen.queryByTestId('counts-excluded')).toBeNull();
  expect(screen.queryByText('No errors. All rows can be sent.')).toBeNull();
});

test('invisible characters go in all rows by one press, and a repeated time gets one of its offsets', async () => {
  const invisible = { ...kind, severity: 'warning', code: 'invisible-character' } as const;
  const repeated = { ...kind, severity: 'warning', code: 'repeated-time' } as const;
  opened.facets = [
    { ...invisible, count: 3 },
    { ...repeated, count: 3 },
  ];
  await openCheckStep();
  await clickFound('fix-all-invisible-character');
  await clickFound('found-remove-invisible');
  await clickFound('fix-all-repeated-time');
  await clickFound('found-second-offset');
  expect(fixes).toEqual([
    { kind: 'fix-found', finding: invisible, way: 'remove-invisible' },
    { kind: 'fix-found', finding: repeated, way: 'second-offset' },
  ]);
});
