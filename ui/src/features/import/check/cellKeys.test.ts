import type { CellKeyDownEvent } from 'ag-grid-community';
import { expect, test } from 'vitest';

import type { GridRow } from '@/ipc/bindings';
import { importView } from '@/test/samples';
import { cellKey, isOwnKey, keepStill } from './cellKeys';
import { type Range, bounds, holds } from './cellRange';
import { GridSelection } from './gridSelection';
import { shape } from './rowColumns';

test('a range is the same, whichever end it was begun at', () => {
  expect(bounds({ column: 1, from: 7, to: 3 })).toEqual([3, 7]);
  expect(holds({ column: 1, from: 7, to: 3 }, 1, 5)).toBe(true);
  expect(holds({ column: 1, from: 7, to: 3 }, 2, 5)).toBe(false);
  expect(holds({ column: 1, from: 7, to: 3 }, 1, 8)).toBe(false);
  expect(holds(null, 1, 8)).toBe(false);
});

test('a click with Shift draws from where the focus was, in the same column', () => {
  const shared = new GridSelection();
  expect(shared.draw(2, 4)).toBeNull();
  expect(shared.draw(2, 4)).toBeUndefined();
  shared.take({ extending: true });
  expect(shared.draw(2, 9)).toEqual({ column: 2, from: 4, to: 9 });
  expect(shared.draw(3, 9)).toBeNull();
  expect(shared.draw(3, 11)).toEqual({ column: 3, from: 9, to: 11 });
});

test('the keys that mend are the ones that Excel has', () => {
  const key = (name: string, more: KeyboardEventInit = {}) => isOwnKey(new KeyboardEvent('keydown', { key: name, ...more }));
  expect(key('Delete')).toBe(true);
  expect(key('d', { ctrlKey: true })).toBe(true);
  expect(key('d')).toBe(false);
  expect(key('ArrowDown', { shiftKey: true })).toBe(true);
  expect(key('ArrowDown')).toBe(false);
  expect(key('F10', { shiftKey: true })).toBe(true);
});

test('columns stay while cells are mended, and change with what they are matched with', () => {
  const view = importView();
  expect(shape({ ...view, undo: true, edited: 3 })).toBe(shape(view));
  expect(shape({ ...view, columns: view.columns.map((column) => ({ ...column, matched: null })) })).not.toBe(shape(view));
});

test('two keys between two drawings of the page draw two rows', () => {
  const shared = new GridSelection();
  const drawn: Range[] = [];
  const event = new KeyboardEvent('keydown', { key: 'ArrowDown', shiftKey: true });
  const api = { getEditingCells: () => [], getDisplayedRowCount: () => 10, ensureIndexVisible: () => undefined };
  const pressed = { api, event, rowIndex: 2, column: { getColId: () => '1' } } as unknown as CellKeyDownEvent<GridRow>;
  for (const _ of [1, 2]) cellKey(pressed, shared, (range) => drawn.push(range), () => undefined);
  expect(drawn.at(-1)).toEqual({ column: 1, from: 2, to: 4 });
});

test('a key that the grid acts on scrolls nothing, and an editor keeps its own', () => {
  document.body.innerHTML = '<div class="ag-cell"><b></b><input></div><b id="outside"></b>';
  const prevented = (at: string, key: string) => {
    const event = new KeyboardEvent('keydown', { key, shiftKey: true, bubbles: true, cancelable: true });
    const place = document.querySelector(at);
    place?.addEventListener('keydown', (heard) => keepStill(heard as KeyboardEvent), { once: true });
    place?.dispatchEvent(event);
    return event.defaultPrevented;
  };
  expect(prevented('.ag-cell b', 'ArrowDown')).toBe(true);
  expect(prevented('.ag-cell b', 'ArrowLeft')).toBe(false);
  expect(prevented('.ag-cell input', 'ArrowDown')).toBe(false);
  expect(prevented('#outside', 'ArrowDown')).toBe(false);
});
