import { describe, expect, test } from 'vitest';

import { parseTicks, formatTicks } from './durations';

describe('time spans', () => {
  test('are words, a clock, or ticks', () => {
    const words = (seconds: number) => `${seconds} s`;
    expect(formatTicks(39_000_000_000, 'words', words)).toBe('3900 s');
    expect(formatTicks(39_000_000_000, 'clock', words)).toBe('01:05:00');
    expect(formatTicks(-905_000_000_000, 'clock', words)).toBe('−25:08:20');
    expect(formatTicks(15_000_000, 'clock', words)).toBe('00:00:01.5');
    expect(formatTicks(15_000_000, 'ticks', words)).toBe('15000000');
    expect([parseTicks('1.01:00:00'), parseTicks('-00:00:01.5'), parseTicks('soon')]).toEqual([900_000_000_000, -15_000_000, null]);
  });
});
