import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import type { GridApi, GridOptions } from 'ag-grid-community';
import { afterEach, beforeAll, expect, test } from 'vitest';

import { PreferencesProvider } from '@/base/preferences';
import { initTranslations } from '@/base/words';
import { cleanUp } from '@/test/cleanup';
import { PlainGrid } from './Grid';
import { TICK_SELECTION, useTickColumn } from './tickColumn';

type TestRow = { id: number };

beforeAll(initTranslations);
afterEach(cleanUp);

const rows: TestRow[] = Array.from({ length: 8 }, (_, id) => ({ id }));
const plain: GridOptions<TestRow> = { rowData: rows, getRowId: ({ data }) => String(data.id), rowSelection: TICK_SELECTION };

function TickGrid({ onReady, onSelection }: { onReady: (api: GridApi<TestRow>) => void; onSelection: (ids: string) => void }) {
  const options = { ...plain, onSelectionChanged: ({ api }: { api: GridApi<TestRow> }) => onSelection(idsOf(api)) };
  return <PlainGrid label="lines" testId="lines" columns={[useTickColumn<TestRow>(), { field: 'id' }]} options={options} onReady={onReady} />;
}

function idsOf(api: GridApi<TestRow>): string {
  return api.getSelectedNodes().map(({ id }) => Number(id)).toSorted((a, b) => a - b).join();
}

async function renderTickGrid() {
  const recorded: { api?: GridApi<TestRow>; selections: string[]; laterSelections: string[] } = { selections: [], laterSelections: [] };
  const at = (told: string[]) => (
    <PreferencesProvider first={{ language: 'en', look: 'light', density: 'compact' }}>
      <TickGrid onReady={(api) => (recorded.api = api)} onSelection={(ids) => told.push(ids)} />
    </PreferencesProvider>
  );
  const { rerender } = render(at(recorded.selections));
  await waitFor(() => expect(screen.getAllByRole('checkbox', { hidden: true })).toHaveLength(rows.length));
  return { ...recorded, api: recorded.api!, again: () => rerender(at(recorded.laterSelections)) };
}

function checkboxOf(row: number): HTMLInputElement {
  return document.querySelector<HTMLInputElement>(`[row-index="${row}"] .ag-selection-checkbox`)!;
}

test('a press ticks a row and another takes the tick away, and the box says so', async () => {
  const { selections } = await renderTickGrid();
  expect([checkboxOf(2).checked, checkboxOf(2).ariaLabel]).toEqual([false, 'Press Space to select the row (not selected)']);
  fireEvent.click(checkboxOf(2));
  expect([checkboxOf(2).checked, checkboxOf(2).ariaLabel]).toEqual([true, 'Press Space to select the row (selected)']);
  fireEvent.click(checkboxOf(4));
  fireEvent.click(checkboxOf(2));
  expect([checkboxOf(2).checked, checkboxOf(4).checked]).toEqual([false, true]);
  await waitFor(() => expect(selections.at(-1)).toBe('4'));
});

test('Shift ticks all rows from the one before on, and what is ticked from elsewhere shows', async () => {
  const { api } = await renderTickGrid();
  fireEvent.click(checkboxOf(1));
  fireEvent.click(checkboxOf(5), { shiftKey: true });
  expect(idsOf(api)).toBe('1,2,3,4,5');
  fireEvent.click(checkboxOf(3), { shiftKey: true });
  expect(rows.map(({ id }) => checkboxOf(id).checked)).toEqual([false, true, true, true, false, false, false, false]);
  act(() => api.deselectAll());
  expect(rows.some(({ id }) => checkboxOf(id).checked)).toBe(false);
});

test('the space bar ticks the row of the cell that has the focus', async () => {
  const { api } = await renderTickGrid();
  fireEvent.keyDown(document.querySelector('[row-index="6"] [col-id="id"]')!, { key: ' ', code: 'Space' });
  expect([idsOf(api), checkboxOf(6).checked]).toEqual(['6', true]);
});

test('what listens to the grid is what was given last', async () => {
  const { selections, laterSelections, again } = await renderTickGrid();
  again();
  fireEvent.click(checkboxOf(0));
  await waitFor(() => expect([selections, laterSelections]).toEqual([[], ['0']]));
});
