import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { App } from '@/app/App';
import { initTranslations } from '@/base/words';
import type { ImportView, OpeningView } from '@/ipc/bindings';
import { mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { appState, importView, operation } from '@/test/samples';
import { clickFound } from '@/test/click';

type Reading = {
  ticket: number;
  channel: { onmessage: (message: OpeningView) => void };
  end: (view: ImportView) => void;
  fail: (problem: unknown) => void;
};

let readings: Reading[] = [];
let stopped: number[] = [];
let closed: number[] = [];

beforeAll(async () => {
  await Promise.all([initTranslations(), import('../ImportPage')]);
});

beforeEach(() => {
  [readings, stopped, closed] = [[], [], []];
  mockWindows('main');
  mockIPC(
    (command, args) => {
      if (command === 'app_state') return appState(true);
      if (command === 'operations') return [operation()];
      if (command === 'samples') return [{ operation: 'materials.sync', file: 'materials.xlsx' }];
      if (command === 'submission_list') return [];
      if (command === 'ticket_stop') stopped.push((args as { ticket: number }).ticket);
      if (command === 'import_close') closed.push((args as { id: number }).id);
      if (command === 'import_sample') {
        return new Promise((end, fail) => readings.push({ ...(args as Pick<Reading, 'ticket' | 'channel'>), end, fail }));
      }
      return null;
    },
    { shouldMockEvents: true },
  );
});

afterEach(cleanUp);

async function startReading(): Promise<Reading> {
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  await clickFound('sample-materials.sync');
  const [reading] = readings;
  return reading!;
}

const progress = (some: Partial<OpeningView> = {}): OpeningView => ({
  file: 'plan.xlsx',
  sheet: 'Plan',
  rows: 100,
  share: 0.004,
  head: [],
  ...some,
});

const head = [
  { row: 1, cells: ['Code'] },
  { row: 2, cells: ['MAT-7'] },
];

test('while a file is read its first rows are there, with how far it is, and then the checked file', async () => {
  const reading = await startReading();
  expect(screen.queryByTestId('opening')).toBeNull();
  await act(async () => reading.channel.onmessage(progress({ head })));
  expect((await screen.findByTestId('opening-head')).textContent).toContain('MAT-7');
  await act(async () => reading.channel.onmessage(progress({ rows: 240_000, share: 0.129 })));
  expect(screen.getByTestId('opening-rows').textContent).toBe('12 %, 240,000 rows');
  expect(screen.getByTestId('opening-head').textContent).toContain('MAT-7');
  expect(screen.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('12');
  await act(async () => reading.end(importView()));
  expect(await screen.findByTestId('step-file')).toBeTruthy();
  expect(screen.queryByTestId('opening')).toBeNull();
});

test('reading is stopped by its button or by Escape, and what comes too late is closed', async () => {
  const reading = await startReading();
  await act(async () => reading.channel.onmessage(progress({ head })));
  expect(await screen.findByTestId('opening-stop')).toBeTruthy();
  await act(async () => fireEvent.keyDown(document.body, { key: 'Escape' }));
  expect(stopped).toEqual([reading.ticket]);
  expect(await screen.findByTestId('import-open')).toBeTruthy();
  expect((screen.getByTestId('import-open') as HTMLButtonElement).disabled).toBe(false);
  await act(async () => reading.end({ ...importView(), id: 9 }));
  expect(closed).toEqual([9]);
  expect(screen.queryByTestId('step-file')).toBeNull();
});

test('a reading that was stopped leaves no problem behind', async () => {
  const reading = await startReading();
  await act(async () => reading.channel.onmessage(progress({ head })));
  const stop = await screen.findByTestId('opening-stop');
  await act(async () => fireEvent.click(stop));
  await act(async () => reading.fail({ code: 'precondition', message: '', hint: '', parameters: {}, reasons: [], logId: null, details: null }));
  expect(screen.queryByTestId('problem')).toBeNull();
});

test('where nobody knows how much there is, only the rows are counted', async () => {
  const reading = await startReading();
  await act(async () => reading.channel.onmessage(progress({ share: null, rows: 1, head })));
  expect((await screen.findByTestId('opening-rows')).textContent).toBe('1 row');
});
