import { expect, test } from 'vitest';

import type { PreviewCounts, PreviewView } from '@/ipc/bindings';
import { shown, shownKinds, skipped, split, undecided } from './previewKinds';

const counts: PreviewCounts = { new: 1, changed: 2, same: 30, conflict: 4, unknown: 0, blocked: 5 };

test('the four totals are always there, the rare ones where there are any', () => {
  expect(shownKinds(counts)).toEqual(['new', 'changed', 'same', 'conflict', 'blocked']);
  const none: PreviewCounts = { new: 0, changed: 0, same: 0, conflict: 0, unknown: 7, blocked: 0 };
  expect(shownKinds(none)).toEqual(['new', 'changed', 'same', 'unknown', 'blocked']);
});

test('what stays follows the choice', () => {
  expect(skipped(counts, { sendSame: false, conflicts: 'skip' })).toBe(34);
  expect(skipped(counts, { sendSame: true, conflicts: 'skip' })).toBe(4);
  expect(skipped(counts, { sendSame: true, conflicts: 'send' })).toBe(0);
});

test('conflicts want a decision', () => {
  const preview = { counts } as PreviewView;
  expect(undecided(preview, { sendSame: false, conflicts: 'stop' })).toBe(true);
  expect(undecided(preview, { sendSame: false, conflicts: 'send' })).toBe(false);
  expect(undecided(null, { sendSame: false, conflicts: 'stop' })).toBe(false);
});

test('a path names its field and its part', () => {
  expect(split('note')).toEqual({ field: 'note', part: null });
  expect(split('rawMaterials[M-1].quantity')).toEqual({ field: 'rawMaterials.quantity', part: 'M-1' });
  expect(split('properties[A[0]].value')).toEqual({ field: 'properties.value', part: 'A[0]' });
});

test('values as a person reads them, by their field', () => {
  const words = { yes: 'yes', no: 'no', decimal: (value: number) => `~${value}`, serviceTime: (text: string) => `at ${text}` };
  const said = (kind: string | null) => (value: Parameters<typeof shown>[0]) => shown(value, kind, words);
  expect([null, '', 5, true, '0012', { a: 1 }].map(said(null))).toEqual([null, null, '~5', 'yes', '0012', '{"a":1}']);
  expect([5, '2026-11-30T07:50:00'].map(said('integer'))).toEqual(['5', '2026-11-30T07:50:00']);
  expect(said('date-time')('2026-11-30T07:50:00')).toBe('at 2026-11-30T07:50:00');
});
