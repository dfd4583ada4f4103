import { fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { App } from '@/app/App';
import { initTranslations } from '@/base/words';
import type { Overview } from '@/ipc/bindings';
import { mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { appState, operation, plantOrder, plantOverview } from '@/test/samples';

let plant: Overview;
let calls: { command: string; args: unknown }[] = [];
let refuses = false;

beforeAll(async () => {
  await Promise.all([initTranslations(), import('@/features/import/ImportPage'), import('./PlantPage')]);
});

beforeEach(() => {
  plant = plantOverview();
  calls = [];
  refuses = false;
  const answers: Record<string, () => unknown> = {
    app_state: () => appState(true),
    operations: () => [operation()],
    samples: () => [],
    submission_list: () => [],
    language_set: () => null,
    contract_document: () => ({}),
    plant_overview: () => plant,
    plant_act: () => {
      if (!refuses) return null;
      throw {
        code: 'plant-move',
        message: '',
        hint: '',
        parameters: {},
        reasons: ['Work order WO-260002 is not running.'],
        logId: null,
        details: null,
      };
    },
  };
  mockWindows('main');
  mockIPC(
    (command, args) => {
      calls.push({ command, args });
      return answers[command]?.() ?? null;
    },
    { shouldMockEvents: true },
  );
});

afterEach(cleanUp);

async function renderPage(): Promise<void> {
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  fireEvent.click(await screen.findByTestId('nav-plant'));
  await screen.findByTestId('plant-clock');
}

const argumentsOf = (command: string) => calls.filter((call) => call.command === command).map(({ args }) => args);

test('the clock shows the plant time, and its buttons say what is asked for', async () => {
  await renderPage();
  expect(screen.getByTestId('plant-clock').textContent).toContain('14:05:09');
  expect(screen.getByTestId('plant-stop').getAttribute('aria-pressed')).toBe('true');
  fireEvent.click(screen.getByTestId('plant-advance-480'));
  await waitFor(() => expect(argumentsOf('plant_clock')).toEqual([{ command: { kind: 'advance', minutes: 480 } }]));
});

test('a station offers what fits its order, and its button keeps the focus when the order changes', async () => {
  await renderPage();
  const button = screen.getByTestId('plant-pause-WS-01');
  expect(within(screen.getByTestId('plant-station-WS-01')).getByText('40 of 100')).toBeTruthy();
  button.focus();
  const paused = plantOrder({ code: 'WO-260002', statusDescription: 'Paused' });
  plant = plantOverview({ stations: [{ code: 'WS-01', description: 'saw-1', current: [paused], next: [] }] });
  fireEvent.click(button);
  await screen.findByTestId('plant-resume-WS-01');
  expect(argumentsOf('plant_act')).toEqual([
    { action: { move: 'pause', order: { code: 'WO-260002', operation: '010' }, reason: null } },
  ]);
  expect((document.activeElement as HTMLElement).dataset.testid).toBe('plant-resume-WS-01');
});

test('what the plant refuses is told in its own words', async () => {
  await renderPage();
  refuses = true;
  fireEvent.click(screen.getByTestId('plant-pause-WS-01'));
  const note = await screen.findByTestId('problem');
  expect(note.textContent).toContain("The practice plant couldn't do that.");
  expect(note.textContent).toContain('Work order WO-260002 is not running.');
});

test('a fault is put beside those that are on, and is marked wherever one stands', async () => {
  plant = plantOverview({ faults: ['stall:0.25', 'latency=50'] });
  await renderPage();
  expect(await screen.findByTestId('nav-faults')).toBeTruthy();
  expect(screen.getByTestId('plant-faults-on').textContent).toContain('2 faults on');
  fireEvent.click(screen.getByTestId('plant-tab-faults'));
  fireEvent.click(screen.getByTestId('plant-fault-truncate'));
  await waitFor(() => expect(argumentsOf('plant_faults')).toEqual([{ faults: ['stall:0.25', 'truncate:1', 'latency=50'], seed: 1 }]));
  const odds = screen.getByTestId<HTMLInputElement>('plant-odds-stall');
  expect(odds.value).toBe('25 %');
  fireEvent.focus(odds);
  fireEvent.change(odds, { target: { value: '40 %' } });
  expect(argumentsOf('plant_faults')).toHaveLength(1);
  fireEvent.blur(odds);
  await waitFor(() => expect(argumentsOf('plant_faults').at(-1)).toEqual({ faults: ['stall:0.4', 'latency=50'], seed: 1 }));
  fireEvent.click(screen.getByTestId('plant-faults-off'));
  await waitFor(() => expect(argumentsOf('plant_faults').at(-1)).toEqual({ faults: [], seed: 1 }));
});

test('going back to the beginning is asked about, with the number', async () => {
  await renderPage();
  fireEvent.click(screen.getByTestId('plant-state'));
  fireEvent.click(await screen.findByTestId('plant-reset'));
  const yes = await screen.findByTestId('plant-reset-confirm');
  expect(document.body.textContent).toContain('500 rows, the clock and the faults');
  expect(argumentsOf('plant_reset')).toEqual([]);
  fireEvent.click(yes);
  await waitFor(() => expect(argumentsOf('plant_reset')).toHaveLength(1));
});

test('an operator’s note is shown without its markup', async () => {
  plant = plantOverview({
    alerts: [{ id: 3, kind: 'Material', note: '<b>gone</b><img src=x>', workStationCode: 'WS-01', status: 0, opened: plant.now }],
  });
  await renderPage();
  const alert = screen.getByTestId('plant-alert-3');
  expect(alert.textContent).toMatch(/gone(?!<)/u);
  expect(alert.textContent).not.toContain('<b>');
  expect(alert.querySelector('img')).toBeNull();
});

test.each([
  { createdOn: '2026-11-15', isOld: false },
  { createdOn: '2026-11-14', isOld: true },
])('rows from $createdOn lie in the past: $isOld', async ({ createdOn, isOld }) => {
  plant = plantOverview({ createdOn });
  await renderPage();
  expect(screen.queryByTestId('plant-old') !== null).toBe(isOld);
});

test('a reset reads everything again that is open, also submissions', async () => {
  await renderPage();
  const before = calls.filter(({ command }) => command === 'submission_list').length;
  fireEvent.click(screen.getByTestId('plant-state'));
  fireEvent.click(await screen.findByTestId('plant-reset'));
  fireEvent.click(await screen.findByTestId('plant-reset-confirm'));
  await waitFor(() => expect(argumentsOf('plant_reset')).toHaveLength(1));
  await waitFor(() => expect(calls.filter(({ command }) => command === 'submission_list').length).toBeGreaterThan(before));
});
