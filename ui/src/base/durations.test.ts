import { describe, expect, test } from 'vitest';

import { clockTicks, spanText } from './durations';

describe('time spans', () => {
  test('are words, a clock, or ticks', () => {
    const words = (seconds: number) => `${seconds} s`;
    expect(spanText(39_000_000_000, 'words', words)).toBe('3900 s');
    expect(spanText(39_000_000_000, 'clock', words)).toBe('01:05:00');
    expect(spanText(-905_000_000_000, 'clock', words)).toBe('−25:08:20');
    expect(spanText(15_000_000, 'clock', words)).toBe('00:00:01.5');
    expect(spanText(15_000_000, 'ticks', words)).toBe('15000000');
    expect([clockTicks('1.01:00:00'), clockTicks('-00:00:01.5'), clockTicks('soon')]).toEqual([900_000_000_000, -15_000_000, null]);
  });
});
