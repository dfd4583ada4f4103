import { expect, test } from 'vitest';

import { parseDay } from './days';

test.each([
  ['2026-11-30', '2026-11-30', '2026-11-30'],
  [' 2026-1-5 ', '2026-01-05', '2026-01-05'],
  ['11/30/2026', '2026-11-30', null],
  ['30.11.2026', null, '2026-11-30'],
  ['3/4/2026', '2026-03-04', '2026-04-03'],
  ['Nov 30, 2026', '2026-11-30', null],
  ['February 2, 2026', '2026-02-02', null],
  ['2026-02-30', null, null],
  ['30/11-2026', null, null],
  ['11/30/26', '2026-11-30', null],
  ['1.2.26', '2026-01-02', '2026-02-01'],
  ['1.2.126', null, null],
  ['today', null, null],
  ['', null, null],
])('the day %s is read by the language', (text, english, german) => {
  expect([parseDay(text, 'en'), parseDay(text, 'de')]).toEqual([english, german]);
  expect(parseDay(text, 'es')).toBe(parseDay(text, 'pt'));
});
