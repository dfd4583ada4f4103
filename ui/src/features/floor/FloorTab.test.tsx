import { render, screen, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { App } from '@/app/App';
import { initTranslations } from '@/base/words';
import type { Floor, FloorAlertView, FloorOrderView, FloorStationView } from '@/ipc/bindings';
import { mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { appState, operation, plantOverview, submission } from '@/test/samples';
import { sortStations, statesOf } from './stationStates';

const NOW = new Date().toISOString();

const alert: FloorAlertView = { kind: 'Material', note: null, employee: null, opened: NOW, acknowledged: null, event: null };
const order: FloorOrderView = {
  code: 'WO-1', operation: '010', state: 'running', since: NOW, station: 'WS-1', employee: null, person: null, material: null,
  status: null, reason: null, requested: 5, good: 2, bad: 0, event: null, late: 0,
};

function station(code: string, some: Partial<FloorStationView>): FloorStationView {
  return { code, name: null, state: 'idle', since: null, orders: [], alerts: [], event: null, last: null, ...some };
}

let stations: FloorStationView[] = [];

beforeAll(initTranslations);

beforeEach(() => {
  const floor = (): Floor => ({
    site: 'practice', zone: 'UTC', stations, now: NOW, last: NOW, asked: NOW, listening: NOW, alertsRead: true, lateOrders: 0,
    longestLate: [], gap: null, behind: 0, rulesFailing: null,
  });
  const answers: Record<string, () => unknown> = {
    app_state: () => appState(true),
    operations: () => [operation()],
    plant_overview: () => plantOverview(),
    submission_list: () => [submission({ state: 'finished' })],
    recent_files: () => [],
    floor_now: floor,
  };
  mockWindows('main');
  mockIPC((command) => answers[command]?.(), { shouldMockEvents: true });
});

afterEach(cleanUp);

async function openFloor(): Promise<void> {
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  (await within(await screen.findByTestId('today-alerts')).findByRole('button')).click();
  await screen.findByTestId('floor-stations');
}

test('an acknowledged alert has its own state, after the open ones', async () => {
  const acknowledged = { ...alert, kind: 'Quality', acknowledged: NOW };
  stations = [
    station('WS-1', { state: 'alarm', alerts: [acknowledged] }),
    station('WS-2', { state: 'alarm', alerts: [alert, acknowledged] }),
    station('WS-3', { state: 'running', orders: [order] }),
  ];
  expect(sortStations(stations).map(({ code }) => code)).toEqual(['WS-2', 'WS-1', 'WS-3']);
  expect([...statesOf(station('WS-1', { state: 'alarm', alerts: [acknowledged] }))]).toEqual(['acknowledged']);
  await openFloor();
  const rows = within(screen.getByTestId('floor-station-WS-2')).getAllByRole('row');
  expect(rows.map((row) => [row.dataset['acknowledged'], within(row).getAllByRole('cell')[0]?.textContent])).toEqual([
    ['false', '▲alarm'],
    ['true', '✓acknowledged'],
  ]);
  expect(rows.map((row) => row.querySelector('[data-state]')?.getAttribute('data-state'))).toEqual(['alarm', 'acknowledged']);
  expect(screen.getByTestId('floor-filter-alarm').textContent).toContain('1');
  expect(screen.getByTestId('floor-filter-acknowledged').textContent).toContain('2');
});

test('the service as source is stated once, and only other sources are marked', async () => {
  stations = [
    station('WS-1', { state: 'running', orders: [order, { ...order, operation: '020' }], alerts: [] }),
    station('WS-2', { state: 'running', orders: [{ ...order, operation: '030', event: 7 }] }),
  ];
  await openFloor();
  expect(screen.getByTestId('floor-origin').textContent).toBe('Unless marked, the orders and alerts below are from the service.');
  const table = screen.getByTestId('floor-stations');
  expect(table.textContent).not.toContain('(from the service)');
  expect(within(table).getAllByText('(from an event)')).toHaveLength(1);
});

test('if most orders are known from events, those of the service are marked', async () => {
  stations = [
    station('WS-1', { state: 'running', orders: [{ ...order, event: 6 }, { ...order, operation: '020', event: 7 }] }),
    station('WS-2', { state: 'running', orders: [{ ...order, operation: '030' }] }),
  ];
  await openFloor();
  expect(screen.queryByTestId('floor-origin')).toBeNull();
  expect(within(screen.getByTestId('floor-stations')).getAllByText('(from the service)')).toHaveLength(1);
});
