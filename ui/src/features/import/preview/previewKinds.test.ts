import { expect, test } from 'vitest';

import type { PreviewCounts, PreviewView } from '@/ipc/bindings';
import { visibleKinds, skippedCount, isUndecided } from './previewKinds';

const counts: PreviewCounts = { new: 1, changed: 2, same: 30, notLinked: 0, conflict: 4, unknown: 0, blocked: 5 };

test('the four totals are always there, the rare ones where there are any', () => {
  expect(visibleKinds(counts)).toEqual(['new', 'changed', 'same', 'conflict', 'blocked']);
  const none: PreviewCounts = { new: 0, changed: 0, same: 0, notLinked: 0, conflict: 0, unknown: 7, blocked: 0 };
  expect(visibleKinds(none)).toEqual(['new', 'changed', 'same', 'unknown', 'blocked']);
});

test('rows of a delete that are not linked are a kind of their own, and are not sent', () => {
  const some: PreviewCounts = { ...counts, same: 0, notLinked: 6 };
  expect(visibleKinds(some)).toEqual(['new', 'changed', 'same', 'notLinked', 'conflict', 'blocked']);
  expect(skippedCount({ counts: some, steps: [] }, { sendSame: false, conflicts: 'send' })).toBe(6);
  expect(skippedCount({ counts: some, steps: [] }, { sendSame: true, conflicts: 'send' })).toBe(0);
});

test('what stays follows the choice', () => {
  expect(skippedCount({ counts, steps: [] }, { sendSame: false, conflicts: 'skip' })).toBe(34);
  expect(skippedCount({ counts, steps: [] }, { sendSame: true, conflicts: 'skip' })).toBe(4);
  expect(skippedCount({ counts, steps: [] }, { sendSame: true, conflicts: 'send' })).toBe(0);
});

test('deletes that could not be compared stay until a person chooses otherwise', () => {
  const unknown: PreviewCounts = { ...counts, new: 0, changed: 0, same: 0, conflict: 0, unknown: 12, blocked: 0 };
  const steps = [{ deletes: true, counts: unknown }] as PreviewView['steps'];
  expect(skippedCount({ counts: unknown, steps }, { sendSame: false, conflicts: 'stop' })).toBe(12);
  expect(skippedCount({ counts: unknown, steps }, { sendSame: false, conflicts: 'stop', sendUnchecked: true })).toBe(0);
  const others = [{ deletes: false, counts: unknown }] as PreviewView['steps'];
  expect(skippedCount({ counts: unknown, steps: others }, { sendSame: false, conflicts: 'stop' })).toBe(0);
});

test('conflicts want a decision', () => {
  const preview = { counts } as PreviewView;
  expect(isUndecided(preview, { sendSame: false, conflicts: 'stop' })).toBe(true);
  expect(isUndecided(preview, { sendSame: false, conflicts: 'send' })).toBe(false);
  expect(isUndecided(null, { sendSame: false, conflicts: 'stop' })).toBe(false);
});
