// @vitest-environment jsdom
import type { CellKeyDownEvent } from 'ag-grid-community';
import { expect, test } from 'vitest';

import type { GridRow } from '@/ipc/bindings';
import { cellKey } from './cellKeys';
import type { Range } from './cellRange';
import { GridSelection } from './gridSelection';

test('a click with Shift draws from where the focus was, in the same column', () => {
  const shared = new GridSelection();
  expect(shared.draw(2, 4)).toBeNull();
  expect(shared.draw(2, 4)).toBeUndefined();
  shared.take({ extending: true });
  expect(shared.draw(2, 9)).toEqual({ column: 2, from: 4, to: 9 });
  expect(shared.draw(3, 9)).toBeNull();
  expect(shared.draw(3, 11)).toEqual({ column: 3, from: 9, to: 11 });
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
