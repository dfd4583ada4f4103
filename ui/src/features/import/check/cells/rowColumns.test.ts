import { expect, test } from 'vitest';

import { importView } from '@/test/samples';
import { shape } from './rowColumns';

test('columns stay while cells are fixed, and change with what they are matched with', () => {
  const view = importView();
  expect(shape({ ...view, undo: true, edited: 3 })).toBe(shape(view));
  expect(shape({ ...view, columns: view.columns.map((column) => ({ ...column, matched: null })) })).not.toBe(shape(view));
});
