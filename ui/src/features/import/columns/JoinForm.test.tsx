import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { App } from '@/app/App';
import { problemHint, problemTitle } from '@/base/engineTexts';
import { initTranslations } from '@/base/words';
import type { ImportView, MappingChange } from '@/ipc/bindings';
import { mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { appState, importView, operation } from '@/test/samples';
import { clickFound } from '@/test/click';
import { withFieldName } from '../common/fieldNames';
import { joinedSample, joinsOf } from './joins';

let opened: ImportView;
let changes: MappingChange[] = [];
let previewed: unknown[] = [];
let texts: unknown[] = [];

beforeAll(async () => {
  await Promise.all([initTranslations(), import('../ImportPage')]);
});

beforeEach(() => {
  [changes, previewed, texts] = [[], [], []];
  opened = importView();
  mockWindows('main');
  mockIPC(
    (command, args) => {
      if (command === 'app_state') return appState(true);
      if (command === 'operations') return [operation()];
      if (command === 'samples') return [{ operation: 'materials.sync', file: 'materials.xlsx' }];
      if (command === 'import_sample') return opened;
      if (command === 'submission_list') return [];
      if (command === 'import_values') return { field: 'code', values: [], more: 0, allowed: [] };
      if (command === 'import_preview_text') {
        previewed.push(args);
        return [{ row: 1, cells: ['Größe', 'Menge'] }];
      }
      if (command === 'import_text') {
        texts.push(args);
        return opened;
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

async function openStep(step: 'file' | 'columns'): Promise<void> {
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  await clickFound('sample-materials.sync');
  await clickFound(`step-${step}`);
}

test('columns are joined in their order with what a person chose', async () => {
  opened.fields = opened.fields.map((field) =>
    field.path === 'code' ? { ...field, joined: { columns: [1, 0], headings: ['Text', 'Code'], with: ' ' } } : field,
  );
  await openStep('columns');
  expect((await screen.findByTestId('mapping-notes')).textContent).toContain('Text + Code');
  expect((await screen.findByTestId('joined-A')).textContent).toContain('part of');
  await act(async () => fireEvent.click(screen.getByTestId('rejoin-code')));
  await act(async () => fireEvent.change(screen.getByTestId('join-with'), { target: { value: 'other' } }));
  await act(async () => fireEvent.change(screen.getByTestId('join-own'), { target: { value: ' :: ' } }));
  expect(screen.getByTestId('join-sample').textContent).toContain(':: MAT-1');
  await act(async () => fireEvent.click(screen.getByTestId('join-do')));
  expect(changes).toEqual([{ change: 'joined', field: 'code', columns: [1, 0], with: ' :: ' }]);
});

test('the sample is of the first row that has all the columns, else of the first that has any', () => {
  const view = importView();
  const head = [
    { row: 1, cells: ['Code', 'Text'] },
    { row: 2, cells: ['A', ''] },
    { row: 3, cells: ['B', 'C'] },
  ];
  expect(joinedSample({ ...view, head }, [1, 0], '/')).toBe('C/B');
  expect(joinedSample({ ...view, head: head.slice(0, 2) }, [1, 0], '/')).toBe('A');
  expect(joinsOf(view, 0)).toEqual([]);
});

test('any field without a column takes one value for all rows', async () => {
  opened.missing = [];
  opened.fields = [...opened.fields, { ...opened.fields[0]!, path: 'description', key: false, required: false }];
  await openStep('columns');
  const field = (await screen.findByTestId('constant-field')) as HTMLInputElement;
  await act(async () => fireEvent.click(field));
  const first = document.getElementById(field.getAttribute('aria-controls') ?? '')?.querySelector('[role="option"]');
  await act(async () => fireEvent.click(first!));
  const text = screen.getByTestId('constant-text') as HTMLInputElement;
  await act(async () => fireEvent.change(text, { target: { value: ' Shaft ' } }));
  await act(async () => fireEvent.click(screen.getByTestId('constant-do')));
  expect(changes).toEqual([{ change: 'constant', field: 'description', text: 'Shaft' }]);
});

test('a matched column opens its values, and says how many of its cells are to be fixed', async () => {
  opened.facets = [
    { severity: 'error', code: 'required', field: 'code', count: 7 },
    { severity: 'error', code: 'not-allowed', field: 'code', count: 2 },
    { severity: 'error', code: 'too-long', field: 'code', count: 3 },
    { severity: 'note', code: 'shown-text-kept', field: 'code', count: 9 },
  ];
  await openStep('columns');
  const button = await screen.findByTestId('values-A');
  expect(button.textContent).toBe('▲Values Code: 5 cells to fix5');
  await act(async () => fireEvent.click(button));
  expect(await screen.findByTestId('values')).toBeTruthy();
});

test('letters and separator are tried out before they are taken', async () => {
  opened.reading = { ...opened.reading, encoding: 'UTF-8', separator: ';', encodings: ['UTF-8', 'windows-1252'] };
  await openStep('file');
  await act(async () => fireEvent.change(await screen.findByTestId('encoding'), { target: { value: 'windows-1252' } }));
  expect((await screen.findByTestId('text-preview')).textContent).toContain('Größe');
  expect(previewed).toEqual([{ id: 1, reading: { encoding: 'windows-1252', separator: ';', quotesAsText: false } }]);
  expect(texts).toEqual([]);
  await act(async () => fireEvent.click(screen.getByTestId('preview-leave')));
  expect(screen.queryByTestId('text-preview')).toBeNull();
  await act(async () => fireEvent.change(screen.getByTestId('separator'), { target: { value: ',' } }));
  await clickFound('preview-take');
  expect(texts).toEqual([{ id: 1, reading: { encoding: 'UTF-8', separator: ',', quotesAsText: false } }]);
  expect(screen.queryByTestId('text-preview')).toBeNull();
});

test('a refusal names the field as the page does, and says what to do', () => {
  const parameters = { obstacle: 'text-unreadable', member: 'constants', field: 'code', value: 'tomorrow' };
  const refused = { code: 'mapping-refused', message: '', hint: '', parameters, reasons: [], logId: null, details: null } as const;
  const problem = withFieldName({ ...refused, reasons: [] }, opened.fields, 'en');
  expect(problemTitle(problem)).toContain('“tomorrow” isn\'t a valid value for Materials');
  expect(problemHint(problem)).toContain('2026-11-23 08:15');
});
