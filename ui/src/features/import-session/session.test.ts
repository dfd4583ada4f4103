import { expect, test } from 'vitest';

import type { SubmissionOrigin } from '@/ipc/bindings';
import { importView } from '@/test/samples';
import { applyChange, EMPTY_IMPORT, openImport, isReachable } from './session';

test('steps can be reached when what they need is known', () => {
  const view = importView();
  expect(isReachable('columns', { view, plan: null })).toBe(true);
  expect(isReachable('check', { view: { ...view, operation: null }, plan: null })).toBe(false);
  expect(isReachable('send', { view: { ...view, headerRow: null }, plan: null })).toBe(false);
  expect(isReachable('results', { view, plan: null })).toBe(false);
  expect(isReachable('results', { view, plan: 1 })).toBe(true);
});

test('what is sent stays sent where a check of the rows ends after it, and belongs to history where a person changes them', () => {
  const view = importView();
  const sent = { ...EMPTY_IMPORT, view, plan: 4 };
  expect(applyChange(sent, view, 'program').plan).toBe(4);
  expect(applyChange(sent, view, 'person')).toMatchObject({ plan: null, edited: true });
  expect(applyChange({ ...EMPTY_IMPORT, view }, view, 'program')).toMatchObject({ plan: null, preview: null, edited: false });
});

test('a draft goes on where it was; what sending would change is looked at again', () => {
  const view = importView();
  const at = (step: string, follows: SubmissionOrigin | null = null) =>
    openImport({ ...view, draft: { kept: true, restored: { changed: '2026-11-23T06:00:00Z', edited: 1, excluded: 0, position: { step, follows } }, earlier: null } });
  expect(openImport(view)).toMatchObject({ edited: false, step: view.settled ? 'check' : 'file' });
  expect(at('columns')).toMatchObject({ edited: true, step: 'columns', follows: null });
  expect(at('send').step).toBe('preview');
  expect(at('check', { submission: 3, relation: 'retry' }).follows).toEqual({ submission: 3, relation: 'retry' });
  const unclear = { ...view, operation: null };
  expect(openImport({ ...unclear, draft: at('check').view?.draft ?? view.draft }).step).toBe('file');
});
