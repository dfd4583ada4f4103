import { expect, test } from 'vitest';

import { listByCode } from '@/base/links/valueLinks';
import { parseLocalDateTime, formatLocalDateTime } from '@/base/values/localDateTime';
import type { NamedSpan } from '@/ipc/bindings';
import { readOperation } from '@/test/readSamples';
import { withoutEmpty, isReversed, toInputValue, namedSpanOf, withDateTime, withSpan } from './parameters';

const orders = readOperation();
const [from, to] = orders.parameters as [(typeof orders.parameters)[number], (typeof orders.parameters)[number]];
const spans: NamedSpan[] = [
  { name: 'today', begin: '2026-11-22T00:00:00', end: '2026-11-23T00:00:00' },
  { name: 'next-shift', begin: '2026-11-23T06:00:00', end: '2026-11-23T14:00:00' },
];

test('a day is meant whole unless it has a time', () => {
  expect(parseLocalDateTime('2026-11-22')).toEqual({ day: '2026-11-22', time: '' });
  expect(parseLocalDateTime('2026-11-22T06:30:00')).toEqual({ day: '2026-11-22', time: '06:30' });
  expect(parseLocalDateTime('today')).toEqual({ day: '', time: '' });
  expect(formatLocalDateTime({ day: '2026-11-22', time: '06:30' })).toBe('2026-11-22T06:30');
  expect(formatLocalDateTime({ day: '', time: '06:30' })).toBe('');
});

test('a span is one name at both ends', () => {
  const values = withSpan(orders, { code: 'A-1' }, 'today');
  expect(values).toEqual({ code: 'A-1', from: 'today', to: 'today' });
  expect(namedSpanOf(orders, values)).toBe('today');
  expect(namedSpanOf(orders, { from: 'today', to: '2026-11-30' })).toBeNull();
  expect(namedSpanOf(orders, { from: '2026-11-22', to: '2026-11-22' })).toBeNull();
  expect(withoutEmpty(withSpan(orders, values, null))).toEqual({ code: 'A-1' });
});

test('a named span is shown by its days, and shifts by their hours', () => {
  expect(toInputValue(from, 'today', spans)).toEqual({ day: '2026-11-22', time: '' });
  expect(toInputValue(to, 'today', spans)).toEqual({ day: '2026-11-22', time: '' });
  expect(toInputValue(to, 'next-shift', spans)).toEqual({ day: '2026-11-23', time: '14:00' });
});

test('changing one end by hand leaves the other where the name had put it', () => {
  const values = withDateTime(orders, { from: 'today', to: 'today' }, spans, 'from', { day: '2026-11-20', time: '' });
  expect(values).toEqual({ from: '2026-11-20', to: '2026-11-22' });
});

test('a span that ends before it begins is noticed', () => {
  const reversed = (begin: string, end: string) => isReversed(orders, { from: begin, to: end });
  expect(reversed('2026-11-22', '2026-11-22')).toBe(false);
  expect(reversed('2026-11-23', '2026-11-22')).toBe(true);
  expect(reversed('2026-11-22T10:00', '2026-11-22T10:00')).toBe(true);
  expect(reversed('2026-11-22T10:00', '2026-11-22')).toBe(false);
  expect(reversed('2026-11-22', '')).toBe(false);
  expect(reversed('today', 'today')).toBe(false);
});

test('a code opens the list that has it as its own', () => {
  const other = { ...readOperation(), id: 'quality-checks.list', parameters: [{ ...orders.parameters[2]!, narrows: 'workOrderCode' }] };
  expect(listByCode([other, orders])).toEqual({ operation: orders, parameter: 'code' });
  expect(listByCode([other])).toBeNull();
});
