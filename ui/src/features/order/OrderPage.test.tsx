import { fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { App } from '@/app/App';
import { initTranslations } from '@/base/words';
import type { Field, Operation, OrderList, OrderPart } from '@/ipc/bindings';
import { mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { appState, importView, operation, plantOverview, submission } from '@/test/samples';

const provenance = { level: 'specified' as const, source: '' };

function field(name: string, kind: Field['kind'] = 'text', fields: Field[] = []): Field {
  const limits = { minimum: null, exclusiveMinimum: null, maximum: null, maxLength: null, values: [] };
  const names = { en: `The ${name}`, de: name, es: name, pt: name };
  return { name, kind, required: true, nullable: true, names, synonyms: [], limits, example: null, provenance, refersTo: null, sense: [], fields };
}

function listOperation(id: string, key: string[], fields: Field[]): Operation {
  const names = { en: `List ${id}`, de: id, es: id, pt: id };
  return { ...operation(), id, kind: 'read', paged: true, names, key, request: null, answer: { member: 'data', schema: 'Row', fields, rules: [] } };
}

const parts: OrderPart[] = [
  { operation: 'orders', field: 'code', by: { by: 'code', parameter: 'code' }, own: true },
  { operation: 'checks', field: 'order', by: { by: 'code', parameter: 'code' }, own: false },
  { operation: 'alerts', field: 'order', by: { by: 'dates', from: 'from', to: 'to' }, own: false },
  { operation: 'happened', field: 'order', by: { by: 'code', parameter: 'code' }, own: false },
];

const operations = [
  listOperation('orders', ['code', 'operation'], [field('code'), field('operation'), field('material'), field('lots', 'list', [field('lot')])]),
  listOperation('checks', ['code'], [field('code'), field('order'), field('note')]),
  listOperation('alerts', ['id'], [field('id'), field('order')]),
  listOperation('happened', [], [field('order'), field('at', 'date-time'), field('event')]),
];

const rows: Record<string, OrderList['rows']> = {
  orders: [
    { code: 'WO-1', operation: '10', material: 'M-1', lots: [{ lot: 'L-1' }] },
    { code: 'WO-1', operation: '20', material: '<b>M-2</b>', lots: [] },
  ],
  checks: [{ code: 'C-1', order: 'WO-1', note: null }],
  alerts: [],
  happened: [
    { order: 'WO-1', at: '2026-11-21T06:00:00', event: 'Begun' },
    { order: 'WO-1', at: '2026-11-21T08:00:00', event: 'Ended' },
  ],
};

let calls: { command: string; args: Record<string, unknown> }[] = [];
let failing: string | null = null;

function orderList(args: Record<string, unknown>): OrderList {
  const id = String(args['operation']);
  // oxlint-disable-next-line typescript/only-throw-error
  if (id === failing) throw { code: 'service-failed', message: 'x', hint: 'y', parameters: {}, reasons: [], logId: null, details: null };
  const found = rows[id] ?? [];
  const around = id === 'orders' ? { from: '2026-11-20T00:00:00', to: '2026-11-23T00:00:00' } : null;
  return { set: 3, rows: found, total: found.length, parameters: { code: 'WO-1' }, around, now: '2026-11-21T09:00:00', complete: true };
}

beforeAll(async () => {
  await Promise.all([initTranslations(), import('./OrderPage'), import('@/features/import/ImportPage')]);
});

beforeEach(() => {
  calls = [];
  failing = null;
  const sent = { submission: submission({ id: 9, started: '2026-11-21T06:00:00Z' }), rows: [] };
  const answers: Record<string, (args: Record<string, unknown>) => unknown> = {
    app_state: () => appState(true),
    operations: () => operations,
    plant_overview: () => plantOverview(),
    samples: () => [],
    submission_list: () => [],
    order_lists: () => ({ parts, fields: { orders: 'code' }, keys: {} }),
    order_list: orderList,
    order_submissions: () => [sent],
    rows_become: () => ['materials.sync'],
    import_from_rows: () => ({ ...importView(), settled: true, file: 'from Takt · Orders · 2 rows' }),
    import_rows: () => ({ total: 0, offset: 0, rows: [] }),
    import_check_site: () => importView(),
  };
  mockWindows('main');
  mockIPC(
    (command, args) => {
      calls.push({ command, args: (args ?? {}) as Record<string, unknown> });
      return answers[command]?.((args ?? {}) as Record<string, unknown>);
    },
    { shouldMockEvents: true },
  );
});

afterEach(cleanUp);

async function renderPage(): Promise<void> {
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  await screen.findByTestId('nav-history');
  fireEvent.keyDown(document.documentElement, { key: 'k', code: 'KeyK', ctrlKey: true });
  fireEvent.change(await screen.findByPlaceholderText(/./u), { target: { value: ' WO-1 ' } });
  fireEvent.click(await screen.findByText('Go to order WO-1'));
  await screen.findByTestId('order');
}

test('a typed code leads to everything that is known about the order', async () => {
  await renderPage();
  const own = await screen.findByTestId('order-operations');
  expect(within(own).getByText('<b>M-2</b>')).toBeTruthy();
  expect(screen.getByTestId('order-list-lots').textContent).toContain('L-1');
  await waitFor(() => expect(screen.getByTestId('order-count-checks').textContent).toBe('1'));
  const line = await screen.findByTestId('order-line');
  expect(line.textContent?.indexOf('Ended')).toBeLessThan(line.textContent?.indexOf('Begun') ?? 0);
  const dated = await screen.findByTestId('order-section-alerts');
  expect(dated.textContent).toContain('from Nov 20, 2026');
  const between = calls.find(({ command, args }) => command === 'order_list' && args['operation'] === 'alerts');
  expect(between?.args['around']).toEqual({ from: '2026-11-20T00:00:00', to: '2026-11-23T00:00:00' });
  expect((await screen.findByTestId('order-submission-9')).textContent).toBe('Submission 9');
});

test('a list that fails holds up no other', async () => {
  failing = 'checks';
  await renderPage();
  await waitFor(() => expect(within(screen.getByTestId('order-section-checks')).getByTestId('problem')).toBeTruthy());
  await screen.findByTestId('order-line');
  failing = null;
  fireEvent.click(within(screen.getByTestId('order-section-checks')).getByTestId('problem-again'));
  await waitFor(() => expect(screen.getByTestId('order-count-checks').textContent).toBe('1'));
});

test('its operations are opened as an import', async () => {
  await renderPage();
  fireEvent.click(await screen.findByTestId('rows-change'));
  fireEvent.click(await screen.findByTestId('change-materials.sync'));
  await waitFor(() => expect(screen.getByTestId('import-file').textContent).toContain('from Takt · Orders · 2 rows'));
  const opened = calls.find(({ command }) => command === 'import_from_rows');
  expect(opened?.args).toMatchObject({ set: 3, positions: [0, 1], operation: 'materials.sync', changes: [], language: 'en' });
});
