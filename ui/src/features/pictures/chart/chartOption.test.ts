import { expect, test } from 'vitest';

import { isTick, tickStep } from './chartOption';

const boxes = (end: number[]) => ({ row: [], begin: [], end, look: [], item: [] });
const step = (axis: 'number' | 'duration', to: number, wanted: number, end = [to]) => tickStep({ axis, range: { from: 0, to }, boxes: boxes(end) }, wanted);

test('marks are round numbers, and whole ones of what is counted', () => {
  expect(step('number', 78.6, 8)).toBe(10);
  expect(step('number', 5790, 8)).toBe(1000);
  expect(step('number', 3.12, 8, [3])).toBe(1);
  expect(step('number', 3.12, 8, [2.5])).toBe(0.5);
});

test('marks of durations are those of a clock', () => {
  expect(step('duration', 78 * 3600, 6)).toBe(24 * 3600);
  expect(step('duration', 78 * 3600, 8)).toBe(12 * 3600);
  expect(step('duration', 900, 6)).toBe(300);
  expect(step('duration', 100 * 86_400, 6)).toBe(20 * 86_400);
});

test('the end of an axis is no mark by itself', () => {
  expect([isTick(0.30000000000000004, 0.1), isTick(283_000, 3600), isTick(0, 3600)]).toEqual([true, false, true]);
});
