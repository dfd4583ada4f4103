import { expect, test } from 'vitest';

import { RESULT_ORDER, worstResult } from './results';

test('a batch shows its worst result, and what needs a person stands first', () => {
  const none = { pending: 0, sending: 0, accepted: 0, rejected: 0, unconfirmed: 0, skipped: 0 };
  expect(worstResult({ ...none, accepted: 99, unconfirmed: 1 })).toBe('unconfirmed');
  expect(worstResult({ ...none, accepted: 99, rejected: 1 })).toBe('rejected');
  expect(worstResult({ ...none, accepted: 100 })).toBe('accepted');
  expect(RESULT_ORDER[0]).toBe('unconfirmed');
  expect(new Set(RESULT_ORDER).size).toBe(6);
});
