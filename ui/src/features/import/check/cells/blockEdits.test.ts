import { expect, test } from 'vitest';

import type { GridRow } from '@/ipc/bindings';
import { dragTarget, fillBlock, pasteTarget } from './blockEdits';
import { rangeBetween } from './cellRange';

const order = [0, 1, 2, 3];
const cell = (index: number, column: number) => ({ index, column });
const one = rangeBetween(order, cell(2, 1), cell(2, 1));

function row(number: number, texts: string[]): GridRow {
  const cells = texts.map((shown) => ({ shown, read: shown, severity: null, was: null }));
  return { row: number, excluded: false, severity: null, cells, findings: [], rejected: [] };
}

test('a block comes to stand at the chosen cell, and what has no room is named', () => {
  const fits = pasteTarget([['a', 'b'], ['c', 'd']], one, order, 10);
  expect([fits.range.head, fits.range.columns, fits.lostRows, fits.lostColumns]).toEqual([cell(3, 2), [1, 2], [], 0]);
  const cut = pasteTarget([['a', 'b'], ['c', 'd'], ['e', 'f']], rangeBetween(order, cell(8, 3), cell(8, 3)), order, 10);
  expect([cut.range.head, cut.range.columns, cut.lostRows, cut.lostColumns]).toEqual([cell(9, 3), [3], [['e', 'f']], 1]);
});

test('one cell fills every chosen one; a block repeats only where that comes out even', () => {
  const six = rangeBetween(order, cell(2, 1), cell(4, 2));
  expect(pasteTarget([['x']], six, order, 10).range.head).toEqual(cell(4, 2));
  expect(pasteTarget([['x', 'y']], six, order, 10).range.head).toEqual(cell(4, 2));
  expect(pasteTarget([['x'], ['y']], six, order, 10).range).toEqual(rangeBetween(order, cell(2, 1), cell(3, 1)));
});

test('the fill handle goes one way, and counts only what counts on', () => {
  const from = rangeBetween(order, cell(0, 0), cell(1, 1));
  const to = dragTarget(from, cell(4, 2), order);
  expect([to.anchor, to.head]).toEqual([cell(0, 0), cell(4, 1)]);
  expect(dragTarget(from, cell(1, 3), order).columns).toEqual([0, 1, 2, 3]);
  expect(dragTarget(from, cell(1, 1), order)).toEqual(rangeBetween(order, cell(0, 0), cell(1, 1)));
  const rows = [row(2, ['1', 'A']), row(3, ['2', 'B']), row(4, ['', '']), row(5, ['', '']), row(6, ['', ''])];
  const texts = [['3', 'A'], ['4', 'B'], ['5', 'A']];
  expect(fillBlock(from, to, rows)).toEqual({ isSeries: true, fix: { kind: 'paste', rows: [4, 5, 6], columns: [0, 1], texts } });
  const copied = fillBlock(rangeBetween(order, cell(0, 0), cell(0, 1)), to, rows);
  expect(copied).toEqual({ isSeries: false, fix: { kind: 'fill-block', from_rows: [2], from_columns: [0, 1], rows: [3, 4, 5, 6], columns: [0, 1] } });
  const right = fillBlock(rangeBetween(order, cell(0, 0), cell(0, 0)), rangeBetween(order, cell(0, 0), cell(0, 2)), rows);
  expect(right?.fix).toEqual({ kind: 'fill-block', from_rows: [2], from_columns: [0], rows: [2], columns: [1, 2] });
  expect(fillBlock(from, from, rows)).toBeNull();
});
