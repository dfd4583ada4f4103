import { expect, test } from 'vitest';

import { fates, worst } from './fates';

test('a batch shows its worst fate, and what needs a person stands first', () => {
  const none = { pending: 0, sending: 0, accepted: 0, rejected: 0, inDoubt: 0, skipped: 0 };
  expect(worst({ ...none, accepted: 99, inDoubt: 1 })).toBe('inDoubt');
  expect(worst({ ...none, accepted: 99, rejected: 1 })).toBe('rejected');
  expect(worst({ ...none, accepted: 100 })).toBe('accepted');
  expect(fates[0]).toBe('inDoubt');
  expect(new Set(fates).size).toBe(6);
});
