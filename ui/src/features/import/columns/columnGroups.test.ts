import { expect, test } from 'vitest';

import type { ColumnView } from '@/ipc/bindings';
import { columnLetters } from '../file/columnLetters';
import { groupColumns, limitGroups } from './columnGroups';

test('unsure columns come first and the limit counts over all groups', () => {
  const column = (index: number, reason: 'similar' | 'same-name' | null, candidates = 0): ColumnView => ({
    index,
    letter: columnLetters(index),
    heading: 'h',
    own: index === 9,
    samples: [],
    matched: reason ? { field: 'f', score: 1, reason } : null,
    also: [],
    format: null,
    candidates: Array.from({ length: candidates }, () => ({ field: 'f', score: 0.4, reason: 'similar' as const })),
  });
  const groups = groupColumns([column(0, 'same-name'), column(1, 'similar'), column(2, null), column(3, null, 1)]);
  expect(groups).toEqual([
    { group: 'unsure', columns: [1, 3] },
    { group: 'matched', columns: [0] },
    { group: 'left', columns: [2] },
  ]);
  expect(limitGroups(groups, 3).map(({ columns, total }) => [columns, total])).toEqual([
    [[1, 3], 2],
    [[0], 1],
  ]);
});
