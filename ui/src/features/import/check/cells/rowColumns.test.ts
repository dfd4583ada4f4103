import { expect, test } from 'vitest';

import { importView } from '@/test/samples';
import { columnsKey } from './rowColumns';

test('columns stay while cells are fixed, and change with what they are matched with', () => {
  const view = importView();
  expect(columnsKey({ ...view, undo: true, edited: 3 })).toBe(columnsKey(view));
  expect(columnsKey({ ...view, columns: view.columns.map((column) => ({ ...column, matched: null })) })).not.toBe(columnsKey(view));
});
