import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import type { GridApi, GridOptions } from 'ag-grid-community';
import { afterEach, beforeAll, expect, test } from 'vitest';

import { PreferencesProvider } from '@/base/preferences';
import { startWords } from '@/base/words';
import { cleanUp } from '@/test/cleanup';
import { PlainGrid } from './Grid';
import { TICK_SELECTION, useTickColumn } from './tickColumn';

type Line = { id: number };

beforeAll(startWords);
afterEach(cleanUp);

const rows: Line[] = Array.from({ length: 8 }, (_, id) => ({ id }));
const plain: GridOptions<Line> = { rowData: rows, getRowId: ({ data }) => String(data.id), rowSelection: TICK_SELECTION };

function Ticked({ onReady, told }: { onReady: (api: GridApi<Line>) => void; told: (ids: string) => void }) {
  const options = { ...plain, onSelectionChanged: ({ api }: { api: GridApi<Line> }) => told(idsOf(api)) };
  return <PlainGrid label="lines" testId="lines" columns={[useTickColumn<Line>(), { field: 'id' }]} options={options} onReady={onReady} />;
}

function idsOf(api: GridApi<Line>): string {
  return api.getSelectedNodes().map(({ id }) => Number(id)).toSorted((a, b) => a - b).join();
}

async function shown() {
  const seen: { api?: GridApi<Line>; told: string[]; later: string[] } = { told: [], later: [] };
  const at = (told: string[]) => (
    <PreferencesProvider first={{ language: 'en', look: 'light', density: 'compact' }}>
      <Ticked onReady={(api) => (seen.api = api)} told={(ids) => told.push(ids)} />
    </PreferencesProvider>
  );
  const { rerender } = render(at(seen.told));
  await waitFor(() => expect(screen.getAllByRole('checkbox', { hidden: true })).toHaveLength(rows.length));
  return { ...seen, api: seen.api!, again: () => rerender(at(seen.later)) };
}

function box(row: number): HTMLInputElement {
  return document.querySelector<HTMLInputElement>(`[row-index="${row}"] .ag-selection-checkbox`)!;
}

test('a press ticks a row and another takes the tick away, and the box says so', async () => {
  const { told } = await shown();
  expect([box(2).checked, box(2).ariaLabel]).toEqual([false, 'Press Space to select the row (not selected)']);
  fireEvent.click(box(2));
  expect([box(2).checked, box(2).ariaLabel]).toEqual([true, 'Press Space to select the row (selected)']);
  fireEvent.click(box(4));
  fireEvent.click(box(2));
  expect([box(2).checked, box(4).checked]).toEqual([false, true]);
  await waitFor(() => expect(told.at(-1)).toBe('4'));
});

test('Shift ticks all rows from the one before on, and what is ticked from elsewhere shows', async () => {
  const { api } = await shown();
  fireEvent.click(box(1));
  fireEvent.click(box(5), { shiftKey: true });
  expect(idsOf(api)).toBe('1,2,3,4,5');
  fireEvent.click(box(3), { shiftKey: true });
  expect(rows.map(({ id }) => box(id).checked)).toEqual([false, true, true, true, false, false, false, false]);
  act(() => api.deselectAll());
  expect(rows.some(({ id }) => box(id).checked)).toBe(false);
});

test('the space bar ticks the row of the cell that has the focus', async () => {
  const { api } = await shown();
  fireEvent.keyDown(document.querySelector('[row-index="6"] [col-id="id"]')!, { key: ' ', code: 'Space' });
  expect([idsOf(api), box(6).checked]).toEqual(['6', true]);
});

test('what listens to the grid is what was given last', async () => {
  const { told, later, again } = await shown();
  again();
  fireEvent.click(box(0));
  await waitFor(() => expect([told, later]).toEqual([[], ['0']]));
});
