import { expect, test } from 'vitest';

import { shortenLabel } from './draw';

test('a label without room keeps what tells it apart', () => {
  expect(shortenLabel('WO-260132', 'late', 20)).toBe('WO-260132 · late');
  expect(shortenLabel('WO-260132', 'late', 12)).toBe('WO-260132');
  expect(shortenLabel('WO-260132', 'late', 6)).toBe('…60132');
  expect(shortenLabel('early shift', undefined, 6)).toBe('early…');
  expect(shortenLabel('WO-260132', undefined, 3)).toBe('');
  expect(shortenLabel('WO-260132 · 010', 'late', 12)).toBe('WO-260132');
  expect(shortenLabel('WO-260132 · 010', undefined, 5)).toBe('…0132');
});
