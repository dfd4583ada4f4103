import { expect, test } from 'vitest';

import { hexDump } from './hexDump';

test('bytes that are no text stand in lines, with what of them is readable', () => {
  expect(hexDump('7b22496422ff003a31')).toBe('000000  7b 22 49 64 22 ff 00 3a  {"Id"..:\n000008  31                       1');
});

