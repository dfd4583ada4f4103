import { expect, test } from 'vitest';

import { results, worst } from './results';

test('a batch shows its worst result, and what needs a person stands first', () => {
  const none = { pending: 0, sending: 0, accepted: 0, rejected: 0, unconfirmed: 0, skipped: 0 };
  expect(worst({ ...none, accepted: 99, unconfirmed: 1 })).toBe('unconfirmed');
  expect(worst({ ...none, accepted: 99, rejected: 1 })).toBe('rejected');
  expect(worst({ ...none, accepted: 100 })).toBe('accepted');
  expect(results[0]).toBe('unconfirmed');
  expect(new Set(results).size).toBe(6);
});
