import { expect, test } from 'vitest';

import { formatPast, minutesUntil, nextMorning, formatPlanned, timeOfDay, parseWallTime } from './clock';

const at = (text: string) => parseWallTime(text) ?? Number.NaN;
const formats = { weekday: () => 'Mon', date: () => '30 Nov' };

test("the plant's time is never shifted by the computer's time zone", () => {
  expect(timeOfDay(at('2026-03-29T02:30:09.123456789'))).toBe('02:30:09');
  expect(timeOfDay(at('2026-11-21T23:59'))).toBe('23:59:00');
  expect(parseWallTime('tomorrow')).toBeNull();
});

test('a plan says as little as is needed', () => {
  const now = at('2026-11-21T14:05:09');
  expect(formatPlanned('2026-11-21T06:00:00', now, formats)).toBe('06:00');
  expect(formatPlanned('2026-11-22T00:00:00', now, formats)).toBe('Mon 00:00');
  expect(formatPlanned('2026-11-27T23:00:00', now, formats)).toBe('Mon 23:00');
  expect(formatPlanned('2026-11-28T00:00:00', now, formats)).toBe('30 Nov');
  expect(formatPlanned('2026-11-20T23:00:00', now, formats)).toBe('30 Nov');
  expect(formatPast('2026-11-20T23:00:00Z', now, formats)).toBe('30 Nov 23:00');
  expect(formatPast('2026-11-21T00:07:00', now, formats)).toBe('00:07');
  expect(formatPlanned('soon', now, formats)).toBe('soon');
});

test('the next morning is ahead and on a working day, and never reached too early', () => {
  const ahead = (now: string) => minutesUntil(nextMorning(at(now)), at(now)) / 60;
  expect(ahead('2026-11-20T05:00:00')).toBe(1);
  expect(ahead('2026-11-19T06:00:00')).toBe(24);
  // 2026-11-20 is a Friday.
  expect(ahead('2026-11-20T06:00:00')).toBe(72);
  expect(ahead('2026-11-21T05:59:30')).toBeCloseTo(48 + 1 / 60);
  expect(ahead('2026-11-22T23:00:00')).toBe(7);
});
