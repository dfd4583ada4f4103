import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { App } from '@/app/App';
import { problemHint, problemTitle } from '@/base/engineTexts';
import { initTranslations } from '@/base/words';
import type { ImportView } from '@/ipc/bindings';
import { mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { appState, importView, operation } from '@/test/samples';
import { clickFound } from '@/test/click';

let opened: ImportView;
let texts: unknown[] = [];

beforeAll(async () => {
  await Promise.all([initTranslations(), import('../ImportPage')]);
});

beforeEach(() => {
  texts = [];
  opened = importView();
  opened.reading = { ...opened.reading, encoding: 'windows-1252', separator: ';', encodings: ['UTF-8', 'windows-1252'] };
  mockWindows('main');
  mockIPC(
    (command, args) => {
      if (command === 'app_state') return appState(true);
      if (command === 'operations') return [operation()];
      if (command === 'samples') return [{ operation: 'materials.sync', file: 'materials.xlsx' }];
      if (command === 'import_sample') return opened;
      if (command === 'submission_list') return [];
      if (command === 'import_text') {
        texts.push(args);
        return { ...opened, reading: { ...opened.reading, quote: null, letters: null } };
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

test('a quote that swallows rows is named, and quotes can be read as text', async () => {
  opened.reading.quote = { row: 9, column: 'E', fault: 'quote-not-closed', lines: 31, count: 3 };
  opened.reading.letters = { severity: 'warning', encodings: ['windows-1252', 'windows-1250'], cells: [{ row: 2, column: 'B', texts: ['rêka', 'ręka'] }], count: 1 };
  await openStep('columns');
  const doubt = await screen.findByTestId('quote-doubt');
  expect(doubt.textContent).toContain('Cell E9: A quotation mark is never closed.');
  expect(doubt.textContent).toContain('31');
  expect(doubt.textContent).toContain('2 more cells are like this.');
  await act(async () => fireEvent.click(screen.getByTestId('quotes-as-text')));
  expect(texts).toEqual([{ id: 1, reading: { encoding: null, separator: ';', quotesAsText: true } }]);
  expect(screen.queryByTestId('quote-doubt')).toBeNull();
});

test('cells are shown in each encoding, and one is chosen', async () => {
  opened.reading.letters = { severity: 'warning', encodings: ['windows-1252', 'windows-1250'], cells: [{ row: 2, column: 'B', texts: ['rêka', 'ręka'] }], count: 1 };
  await openStep('file');
  const doubt = await screen.findByTestId('letters-doubt');
  expect(doubt.textContent).toContain('1 cell looks different in another character encoding.');
  for (const text of ['B2', 'rêka', 'ręka']) expect(doubt.textContent).toContain(text);
  await act(async () => fireEvent.click(screen.getByTestId('letters-windows-1250')));
  expect(texts).toEqual([{ id: 1, reading: { encoding: 'windows-1250', separator: ';', quotesAsText: false } }]);
  expect(screen.queryByTestId('letters-doubt')).toBeNull();
});

test('a problem of several causes says which one it is', () => {
  const parameters = { case: 'columns', file: 'orders.csv', limit: '16384' };
  const problem = { code: 'file-too-large', message: '', hint: '', parameters, reasons: [], logId: null, details: null } as const;
  expect(problemTitle({ ...problem, reasons: [] })).toBe('orders.csv has more than 16384 columns.');
  expect(problemHint({ ...problem, reasons: [] })).toContain('check the separator');
});
