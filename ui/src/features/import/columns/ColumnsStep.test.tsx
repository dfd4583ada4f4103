import { act, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { App } from '@/app/App';
import { initTranslations } from '@/base/words';
import type { ColumnView, FormatExample, ImportView, MappingChange } from '@/ipc/bindings';
import { mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { appState, importView, operation } from '@/test/samples';
import { clickFound } from '@/test/click';
import { columnLetters } from '../file/PlainTable';
import { groupColumns, limitGroups } from './ColumnsStep';

let opened: ImportView;
let changes: MappingChange[] = [];

beforeAll(async () => {
  await Promise.all([initTranslations(), import('../ImportPage')]);
});

beforeEach(() => {
  changes = [];
  opened = importView();
  mockWindows('main');
  mockIPC(
    (command, args) => {
      if (command === 'app_state') return appState(true);
      if (command === 'operations') return [operation()];
      if (command === 'samples') return [{ operation: 'materials.sync', file: 'materials.xlsx' }];
      if (command === 'import_sample') return opened;
      if (command === 'submission_list') return [];
      if (command === 'import_rows') return { total: 0, offset: 0, rows: [] };
      if (command === 'import_values') {
        return {
          field: 'code',
          values: [{ text: 'n/a', count: 3, to: null, read: null, wrong: 'not-a-number' }],
          more: 2,
          allowed: [],
        };
      }
      if (command === 'import_change') {
        changes.push((args as { change: MappingChange }).change);
        return opened;
      }
      return null;
    },
    { shouldMockEvents: true },
  );
});

afterEach(cleanUp);

async function openSample(): Promise<void> {
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  await clickFound('sample-materials.sync');
}

async function openColumnsStep(): Promise<void> {
  await openSample();
  await clickFound('step-columns');
}

const examples: FormatExample[] = [
  { choice: 'day-first', cell: '03/02/2027', read: '2027-02-03T00:00:00' },
  { choice: 'month-first', cell: '03/02/2027', read: '2027-03-02T00:00:00' },
];

test('an open format shows what each choice makes of a value, and is settled by one click', async () => {
  const [column] = opened.columns;
  opened.columns = [
    { ...column!, formats: [{ kind: 'date-order', verdict: 'ambiguous', shown: null, choice: null, proofs: 0, of: 4, examples }] },
  ];
  await openColumnsStep();
  const format = await screen.findByTestId('format-A');
  expect(format.textContent).toContain('Month first03/02/2027 → Mar 2, 2027');
  await clickFound('choose-day-first-A');
  expect(changes).toEqual([{ change: 'format', column: 0, choice: 'day-first' }]);
});

test('a column of dates and weeks shows both formats, and one choice is taken back alone', async () => {
  const [column] = opened.columns;
  const week = { kind: 'week-day', verdict: 'chosen', shown: null, choice: 'friday', proofs: 0, of: 4, examples: [] } as const;
  opened.columns = [
    {
      ...column!,
      formats: [
        { kind: 'date-order', verdict: 'ambiguous', shown: null, choice: null, proofs: 0, of: 4, examples },
        { ...week, examples: [] },
      ],
    },
  ];
  await openColumnsStep();
  const [order, day] = await screen.findAllByTestId('format-A');
  expect([order?.dataset['verdict'], day?.dataset['verdict']]).toEqual(['ambiguous', 'chosen']);
  await act(async () => fireEvent.click(within(day!).getByRole('button')));
  expect(changes).toEqual([{ change: 'reopen-format', column: 0, kind: 'week-day' }]);
});

test('a proven format shows its evidence', async () => {
  const [column] = opened.columns;
  opened.columns = [
    { ...column!, formats: [{ kind: 'date-order', verdict: 'proven', shown: 'DD/MM/YYYY', choice: 'day-first', proofs: 31, of: 40, examples: [] }] },
  ];
  await openColumnsStep();
  expect((await screen.findByTestId('format-A')).textContent).toContain('DD/MM/YYYYthe only one that fits all 40');
});

test('a missing field takes a constant', async () => {
  await openColumnsStep();
  const field = await screen.findByTestId('constant-description');
  await act(async () => {
    fireEvent.change(field, { target: { value: 'Shaft' } });
    fireEvent.keyDown(field, { key: 'Enter' });
  });
  expect(changes).toContainEqual({ change: 'constant', field: 'description', text: 'Shaft' });
});

test('values are replaced in a panel, with their counts', async () => {
  await openColumnsStep();
  await clickFound('menu-A');
  await act(async () => fireEvent.click(await screen.findByText('Replace values')));
  const field = await screen.findByTestId('value-n/a');
  expect((await screen.findByTestId('values')).textContent).toContain('× 3');
  await act(async () => {
    fireEvent.change(field, { target: { value: '5' } });
    fireEvent.blur(field);
  });
  expect(changes).toEqual([{ change: 'value', field: 'code', from: 'n/a', to: '5' }]);
});

test('what changed since is named', async () => {
  opened.changes = [{ kind: 'renamed', heading: 'Code', was: 'No' }];
  await openColumnsStep();
  expect((await screen.findByTestId('mapping-notes')).textContent).toContain('“Code” was “No” last time');
});

test('a perfect match goes straight to the check, with the way to its columns', async () => {
  opened.settled = true;
  opened.missing = [];
  await openSample();
  await clickFound('mapped-itself');
  expect(await screen.findByTestId('column-A')).toBeTruthy();
});

test('a field that several columns fit is shown with both, and one press chooses', async () => {
  opened.columns.push({ ...opened.columns[0]!, index: 1, letter: 'B', matched: null });
  opened.contested = [{ field: 'code', columns: [0, 1] }];
  await openColumnsStep();
  expect((await screen.findByTestId('contested-code')).textContent).toContain('Nothing is sent until you choose one.');
  expect((await screen.findByTestId('use-A')).textContent).toBe('Use A · Code');
  await clickFound('use-B');
  expect(changes).toEqual([{ change: 'fields', column: 1, fields: ['code'] }]);
});

test('unsure columns come first and the limit counts over all groups', () => {
  const column = (index: number, reason: 'similar' | 'same-name' | null, candidates = 0): ColumnView => ({
    index,
    letter: columnLetters(index),
    heading: 'h',
    own: index === 9,
    samples: [],
    matched: reason ? { field: 'f', score: 1, reason } : null,
    also: [],
    formats: [],
    candidates: Array.from({ length: candidates }, () => ({ field: 'f', score: 0.4, reason: 'similar' as const })),
  });
  const groups = groupColumns([column(0, 'same-name'), column(1, 'similar'), column(2, null), column(3, null, 1)]);
  expect(groups).toEqual([
    { group: 'unsure', columns: [1, 3] },
    { group: 'matched', columns: [0] },
    { group: 'left', columns: [2] },
  ]);
  expect(limitGroups(groups, 3).map((one) => [one.columns, one.total])).toEqual([
    [[1, 3], 2],
    [[0], 1],
  ]);
});
