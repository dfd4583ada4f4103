import { expect, test } from 'vitest';

import { importView } from '@/test/samples';
import { reachable } from './session';

test('steps can be reached when what they need is known', () => {
  const view = importView();
  expect(reachable('columns', { view, plan: null })).toBe(true);
  expect(reachable('check', { view: { ...view, operation: null }, plan: null })).toBe(false);
  expect(reachable('send', { view: { ...view, headerRow: null }, plan: null })).toBe(false);
  expect(reachable('results', { view, plan: null })).toBe(false);
  expect(reachable('results', { view, plan: 1 })).toBe(true);
});
