import { expect, test } from 'vitest';

import en from '@/locales/en.json';
import { FAULT_KINDS, toPercent, parseFaults, formatFaults } from './faults';

test('faults are read as the plant writes them, and written so that it reads them', () => {
  const faults = parseFaults(['error-500:0.1', 'stall:1', 'latency=50', 'latency=20']);
  expect(faults).toEqual({ odds: { 'error-500': 0.1, stall: 1 }, latency: 70 });
  expect(formatFaults(faults)).toEqual(['error-500:0.1', 'stall:1', 'latency=70']);
  expect(formatFaults({ odds: { truncate: 0 }, latency: 0 })).toEqual([]);
  expect(parseFaults(['truncate']).odds.truncate).toBe(1);
});

test('every share of a hundred survives the way to the plant and back', () => {
  for (let share = 1; share <= 10_000; share += 1) {
    const [text = ''] = formatFaults({ odds: { stall: share / 100 / 100 }, latency: 0 });
    expect(toPercent(parseFaults([text]).odds.stall ?? 0)).toBe(share / 100);
  }
});

test('every fault has its sentence, and no sentence lacks its fault', () => {
  expect([...FAULT_KINDS].toSorted()).toEqual(Object.keys(en.faults).toSorted());
});
