import { expect, test } from 'vitest';

import { cellCommandOf } from './cellKeys';

const press = (key: string, more: Partial<Parameters<typeof cellCommandOf>[0]> = {}) =>
  cellCommandOf({ key, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...more });

test('the keys are the ones that Excel has', () => {
  expect(press('Delete')).toEqual({ does: 'clear' });
  expect(press('d', { ctrlKey: true })).toEqual({ does: 'down' });
  expect(press('V', { metaKey: true })).toEqual({ does: 'paste' });
  expect(press('ArrowDown', { shiftKey: true })).toEqual({ does: 'extend', rows: 1, columns: 0 });
  expect(press('ArrowLeft', { ctrlKey: true, shiftKey: true })).toEqual({ does: 'jump', rows: 0, columns: -1, extends: true });
  expect(press('End', { ctrlKey: true })).toEqual({ does: 'corner', last: true, extends: false });
  expect(press('F10', { shiftKey: true })).toEqual({ does: 'menu' });
  expect(press('ArrowDown', { altKey: true })).toEqual({ does: 'suggestions' });
});

test('what moves the focus, edits or undoes stays with the grid and the page', () => {
  for (const key of ['ArrowDown', 'Enter', 'Tab', 'F2', 'a', 'PageDown']) expect(press(key)).toBeNull();
  for (const key of ['z', 'y', 'f', 'k']) expect(press(key, { ctrlKey: true })).toBeNull();
  expect(press('c', { ctrlKey: true, shiftKey: true })).toBeNull();
});
