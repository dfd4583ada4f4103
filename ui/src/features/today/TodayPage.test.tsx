import { fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import axe from 'axe-core';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { App } from '@/app/App';
import { initTranslations } from '@/base/words';
import type { Floor, FloorStationView } from '@/ipc/bindings';
import { mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { appState, operation, plantOverview, submission } from '@/test/samples';

const now = Date.now();
const daysAgo = (days: number) => new Date(now - days * 24 * 3600 * 1000).toISOString();

function station(code: string, some: Partial<FloorStationView>): FloorStationView {
  return { code, name: null, state: 'idle', since: null, orders: [], alerts: [], event: null, last: null, ...some };
}

const order = { code: 'WO-1', operation: '010', since: null, station: 'WS-1', employee: null, person: null, material: null, status: null, reason: null, requested: 5, good: 2, bad: 0, event: null, late: 0 };
const alert = { kind: 'Material', note: null, employee: null, opened: daysAgo(3), acknowledged: null, event: null };

function floor(some: Partial<Floor> = {}): Floor {
  const stations = [
    station('WS-1', { state: 'alarm', alerts: [alert, { ...alert, kind: 'Quality' }], orders: [{ ...order, state: 'running' }] }),
    station('WS-2', { state: 'paused', orders: [{ ...order, state: 'paused' }] }),
    station('WS-3', {}),
  ];
  const times = { now: daysAgo(0), last: daysAgo(0), asked: null, listening: daysAgo(0) };
  return { site: 'practice', zone: 'UTC', stations, ...times, alertsRead: false, lateOrders: null, longestLate: [], gap: null, behind: 0, rulesFailing: null, ...some };
}

let answers: Record<string, () => unknown> = {};
let reads = 0;

beforeAll(initTranslations);

beforeEach(() => {
  reads = 0;
  answers = {
    app_state: () => appState(true),
    operations: () => [operation()],
    plant_overview: () => plantOverview(),
    samples: () => [{ operation: 'materials.sync', file: 'materials.xlsx' }],
    recent_files: () => [],
    submission_list: () => [],
    history_list: () => ({ submissions: [], total: 0 }),
    floor_now: () => floor(reads > 0 ? { alertsRead: true, lateOrders: 4, longestLate: [{ code: 'WO-7', operation: '010', plannedEnd: daysAgo(2) }], asked: daysAgo(0) } : {}),
    floor_read: () => {
      reads += 1;
      return { at: daysAgo(0), orders: 9, differences: [], complete: true };
    },
  };
  mockWindows('main');
  mockIPC((command) => answers[command]?.(), { shouldMockEvents: true });
});

afterEach(cleanUp);

async function renderPage(): Promise<void> {
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  await screen.findByTestId('import-open');
}

test('the day is summed up for the site, and a practice plant is read at once', async () => {
  const counts = { pending: 0, sending: 0, accepted: 30, rejected: 2, unconfirmed: 0, skipped: 1 };
  const sent = (id: number, started: string, site = 'practice') => submission({ id, started, site, state: 'finished', counts });
  answers['submission_list'] = () => [sent(1, daysAgo(0)), sent(2, daysAgo(0)), sent(3, daysAgo(2)), sent(4, daysAgo(0), 'Works South'), { ...sent(5, daysAgo(0)), relation: 'undo', follows: 1 }];
  await renderPage();
  const card = async (name: string) => within(await screen.findByTestId(`today-${name}`));
  expect((await card('sent')).getByRole('button').textContent).toBe('Rows accepted today60');
  expect(screen.getByTestId('today-sent').textContent).toContain('4 rejected');
  await waitFor(() => expect(screen.getByTestId('today-late').textContent).toContain('Late orders4'));
  expect(reads).toBe(1);
  expect((await card('alerts')).getByRole('button').textContent).toBe('Open alerts2');
  expect(screen.getByTestId('today-running').textContent).toBe('Stations running1of 3 stations · 1 paused');
  expect(screen.getByTestId('today-receiver').textContent).toContain('Event receiverOn');
  expect(screen.queryByTestId('sample-materials.sync')).toBeNull();
  document.title = 'Takt';
  const found = await axe.run(document, { rules: { 'color-contrast': { enabled: false } }, resultTypes: ['violations'] });
  expect(found.violations.map(({ id }) => id)).toEqual([]);
  fireEvent.click((await card('sent')).getByRole('button'));
  await waitFor(() => expect(document.querySelector('nav [aria-current="page"]')?.getAttribute('data-testid')).toBe('nav-history'));
});

test('acknowledged alerts are counted apart from open ones, and a zero is muted', async () => {
  answers['submission_list'] = () => [submission({ state: 'finished' })];
  answers['floor_now'] = () => floor({ alertsRead: true, stations: [station('WS-1', { state: 'alarm', alerts: [{ ...alert, acknowledged: daysAgo(1) }] })] });
  await renderPage();
  const card = await screen.findByTestId('today-alerts');
  expect(card.textContent).toBe('Open alerts0✓ 1 acknowledged');
  expect(card.dataset['alarming']).toBe('false');
  expect(within(card).getByText('0').dataset['zero']).toBe('true');
});

test("a site's own lists are read only on request", async () => {
  const state = appState(true);
  for (const { site } of state.sites) site.kind = 'test';
  answers['app_state'] = () => state;
  answers['submission_list'] = () => [submission({ state: 'finished' })];
  await renderPage();
  expect((await screen.findByTestId('today-late')).textContent).toContain('Late orders–Not read from the service yet.');
  expect(reads).toBe(0);
  fireEvent.click(screen.getByTestId('today-read'));
  await waitFor(() => expect(screen.getByTestId('today-late').textContent).toContain('Late orders4'));
});

test('before anything is sent, samples are offered instead of numbers', async () => {
  await renderPage();
  await screen.findByTestId('sample-materials.sync');
  expect(screen.queryByTestId('today-sent')).toBeNull();
  expect(reads).toBe(0);
});
