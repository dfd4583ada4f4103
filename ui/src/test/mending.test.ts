import { expect, test } from 'vitest';

import { isOwnKey } from '../features/import/cellKeys';
import { bounds, holds } from '../features/import/range';
import { shape } from '../features/import/rowColumns';
import { Shared } from '../features/import/shared';
import { importView } from './samples';

test('a range is the same, whichever end it was begun at', () => {
  expect(bounds({ column: 1, from: 7, to: 3 })).toEqual([3, 7]);
  expect(holds({ column: 1, from: 7, to: 3 }, 1, 5)).toBe(true);
  expect(holds({ column: 1, from: 7, to: 3 }, 2, 5)).toBe(false);
  expect(holds({ column: 1, from: 7, to: 3 }, 1, 8)).toBe(false);
  expect(holds(null, 1, 8)).toBe(false);
});

test('a click with Shift draws from where the focus was, in the same column', () => {
  const shared = new Shared();
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
