import { expect, test } from 'vitest';

import { jsonLayout } from './jsonLayout';

test('JSON is laid out with every character of its values as it came', () => {
  expect(jsonLayout('{"a":1.50,"b":[],"c":{ },"d":[1,"x:,{\\"]"]}')).toBe('{\n  "a": 1.50,\n  "b": [],\n  "c": {},\n  "d": [\n    1,\n    "x:,{\\"]"\n  ]\n}');
  expect(jsonLayout('{"big":12345678901234567890,"end":"\\\\"}')).toContain('12345678901234567890');
  for (const broken of ['', '{"a"', ']]]', '"open', '{"a":\\']) expect(() => jsonLayout(broken)).not.toThrow();
});

