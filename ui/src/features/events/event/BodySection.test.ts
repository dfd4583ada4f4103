import { expect, test } from 'vitest';

import { formatJson, hexDump } from './BodySection';

test('bytes that are no text stand in lines, with what of them is readable', () => {
  expect(hexDump('7b22496422ff003a31')).toBe('000000  7b 22 49 64 22 ff 00 3a  {"Id"..:\n000008  31                       1');
});

test('JSON is laid out with every character of its values as it came', () => {
  expect(formatJson('{"a":1.50,"b":[],"c":{ },"d":[1,"x:,{\\"]"]}')).toBe('{\n  "a": 1.50,\n  "b": [],\n  "c": {},\n  "d": [\n    1,\n    "x:,{\\"]"\n  ]\n}');
  expect(formatJson('{"big":12345678901234567890,"end":"\\\\"}')).toContain('12345678901234567890');
  for (const broken of ['', '{"a"', ']]]', '"open', '{"a":\\']) expect(() => formatJson(broken)).not.toThrow();
});
