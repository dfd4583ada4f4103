import { describe, expect, it } from 'vitest';

import { toBounds, isReversed, QUICK_SPANS, quickBounds, toRange } from './timeSpan';

const now = new Date(2026, 2, 1, 14, 30, 20);
const local = (...parts: [number, number, number, number?, number?]) => new Date(...parts).toISOString();

describe('when events came', () => {
  it('is said in days and hours of this computer', () => {
    expect(quickBounds('yesterday', now)).toEqual({ since: local(2026, 1, 28), until: local(2026, 2, 1) });
    expect(quickBounds('today', now)).toEqual({ since: local(2026, 2, 1), until: null });
    expect(quickBounds('last-7-days', now)).toEqual({ since: local(2026, 1, 23), until: null });
    expect(quickBounds('last-hour', now)).toEqual({ since: local(2026, 2, 1, 13, 30).replace(':00.000', ':20.000'), until: null });
  });

  it('means a day without a time whole, to its end', () => {
    const day = { day: '2026-03-01', time: '' };
    expect(toBounds({ from: day, to: day })).toEqual({ since: local(2026, 2, 1), until: local(2026, 2, 2) });
    expect(toBounds({ from: day, to: { ...day, time: '10:05' } }).until).toBe(local(2026, 2, 1, 10, 5));
    expect(toBounds({ from: { day: '', time: '' }, to: { day: 'soon', time: '' } })).toEqual({ since: null, until: null });
  });

  it('is shown as it was said', () => {
    for (const name of QUICK_SPANS.filter((one) => one !== 'last-hour')) {
      const bounds = quickBounds(name, now);
      expect(toBounds(toRange(bounds))).toEqual(bounds);
    }
    expect(toRange(quickBounds('yesterday', now))).toEqual({ from: { day: '2026-02-28', time: '' }, to: { day: '2026-02-28', time: '' } });
  });

  it('ends after it begins', () => {
    expect(isReversed({ since: local(2026, 2, 2), until: local(2026, 2, 2) })).toBe(true);
    expect(isReversed({ since: local(2026, 2, 2), until: null })).toBe(false);
    expect(isReversed(quickBounds('yesterday', now))).toBe(false);
  });
});
