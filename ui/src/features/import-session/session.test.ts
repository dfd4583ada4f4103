import { expect, test } from 'vitest';

import { importView } from '@/test/samples';
import { reachable } from './session';

test('steps can be reached when what they need is known', () => {
  const view = importView();
  expect(reachable('columns', { view, submission: null })).toBe(true);
  expect(reachable('check', { view: { ...view, operation: null }, submission: null })).toBe(false);
  expect(reachable('send', { view: { ...view, headerRow: null }, submission: null })).toBe(false);
  expect(reachable('results', { view, submission: null })).toBe(false);
  expect(reachable('results', { view, submission: 1 })).toBe(true);
});
