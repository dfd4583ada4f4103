import { expect, test } from 'vitest';

import { approval, submission } from '@/test/samples';
import { nextAction } from './nextAction';

test('one action stands out, and what needs a person goes before what is done', () => {
  const none = { pending: 0, sending: 0, accepted: 9, rejected: 0, unconfirmed: 0, skipped: 0 };
  const known = { readable: true, open: true };
  const ended = (counts: Partial<typeof none>) => submission({ state: 'finished', counts: { ...none, ...counts } });
  expect(nextAction(submission(), known)).toBeNull();
  expect(nextAction({ ...ended({ pending: 2, unconfirmed: 1 }), state: 'paused' }, known)).toBe('continue');
  expect(nextAction({ ...ended({ pending: 2 }), state: 'paused', approval: approval() }, known)).toBe('leave');
  expect(nextAction({ ...ended({ pending: 2 }), state: 'paused', approval: approval({ isOwn: false }) }, known)).toBeNull();
  expect(nextAction({ ...ended({ pending: 2 }), state: 'paused', approval: approval({ decision: 'approved' }) }, known)).toBe('continue');
  expect(nextAction(ended({ unconfirmed: 1, rejected: 3 }), known)).toBe('look-up');
  expect(nextAction(ended({ unconfirmed: 1, rejected: 3 }), { ...known, readable: false })).toBe('decide');
  expect(nextAction(ended({ rejected: 3 }), known)).toBe('fix');
  expect(nextAction({ ...ended({ rejected: 3 }), file: '' }, known)).toBe('leave');
  expect(nextAction(ended({}), { ...known, open: false })).toBe('save');
});
