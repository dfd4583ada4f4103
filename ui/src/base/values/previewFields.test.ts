import { expect, test } from 'vitest';

import type { Field } from '@/ipc/bindings';
import { fieldsAlong, formatValue, splitPath } from './previewFields';

test('a path names its field and its part', () => {
  expect(splitPath('note')).toEqual({ field: 'note', part: null });
  expect(splitPath('rawMaterials[M-1].quantity')).toEqual({ field: 'rawMaterials.quantity', part: 'M-1' });
  expect(splitPath('properties[A[0]].value')).toEqual({ field: 'properties.value', part: 'A[0]' });
});

test('values as a person reads them, by their field', () => {
  const words = { yes: 'yes', no: 'no', decimal: (value: number) => `~${value}`, serviceTime: (text: string) => `at ${text}`, duration: (seconds: number) => `${seconds} s` };
  const formatAs = (kind: string | null) => (value: Parameters<typeof formatValue>[0]) => formatValue(value, kind, words);
  expect([null, '', 5, true, '0012', { a: 1 }].map(formatAs(null))).toEqual([null, null, '~5', 'yes', '0012', '{"a":1}']);
  expect([5, '2026-11-30T07:50:00'].map(formatAs('integer'))).toEqual(['5', '2026-11-30T07:50:00']);
  expect(['05:45:00', '1.00:00:30', 'soon'].map(formatAs('duration'))).toEqual(['20700 s', '86430 s', 'soon']);
  expect(formatAs('time-span')('00:00:05')).toBe('5 s');
  expect(formatAs('date-time')('2026-11-30T07:50:00')).toBe('at 2026-11-30T07:50:00');
});

test('the field of a part is found behind its list', () => {
  const quantity = { name: 'quantity', fields: [] } as unknown as Field;
  const list = { name: 'rawMaterials', fields: [quantity] } as unknown as Field;
  expect(fieldsAlong([quantity, list], 'quantity')).toEqual([quantity]);
  expect(fieldsAlong([list], 'rawMaterials.quantity')).toEqual([list, quantity]);
  expect(fieldsAlong([list], 'rawMaterials.code')).toEqual([]);
  expect(fieldsAlong([list], 'note')).toEqual([]);
});
