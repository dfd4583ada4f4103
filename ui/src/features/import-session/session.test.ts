import { expect, test } from 'vitest';

import { importView } from '@/test/samples';
import { changed, empty, reachable } from './session';

test('steps can be reached when what they need is known', () => {
  const view = importView();
  expect(reachable('columns', { view, plan: null })).toBe(true);
  expect(reachable('check', { view: { ...view, operation: null }, plan: null })).toBe(false);
  expect(reachable('send', { view: { ...view, headerRow: null }, plan: null })).toBe(false);
  expect(reachable('results', { view, plan: null })).toBe(false);
  expect(reachable('results', { view, plan: 1 })).toBe(true);
});

test('what is sent stays sent where a check of the rows ends after it, and belongs to history where a person changes them', () => {
  const view = importView();
  const sent = { ...empty, view, plan: 4 };
  expect(changed(sent, view, 'program').plan).toBe(4);
  expect(changed(sent, view, 'person')).toMatchObject({ plan: null, edited: true });
  expect(changed({ ...empty, view }, view, 'program')).toMatchObject({ plan: null, preview: null, edited: false });
});
