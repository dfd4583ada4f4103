import { expect, test } from 'vitest';

import type { Field } from '@/ipc/bindings';
import { cellText, isRow, toRows } from './cells';

const words = {
  yes: 'yes',
  no: 'no',
  duration: (seconds: number) => `${seconds} s`,
  decimal: String,
  serviceTime: (text: string) => `at ${text}`,
};

function field(kind: Field['kind']): Field {
  const names = { en: 'n', de: 'n', es: 'n', pt: 'n' };
  const limits = { minimum: null, exclusiveMinimum: null, maximum: null, maxLength: null, values: [] };
  return { name: 'n', kind, required: false, nullable: true, names, synonyms: [], limits, example: null, provenance: { level: 'specified', source: '' }, refersTo: null, sense: [], fields: [] };
}

test('cells are shown by the field, never by a look at the value', () => {
  expect(cellText('2026-11-21', field('date-time'), words)).toBe('at 2026-11-21');
  expect(cellText('2026-11-21', field('text'), words)).toBe('2026-11-21');
  expect(cellText('007', field('text'), words)).toBe('007');
  expect(cellText(true, field('boolean'), words)).toBe('yes');
  expect(cellText({ ticks: 39_000_000_000 }, field('time-span'), words)).toBe('3900 s');
  expect(cellText([{}, {}], field('list'), words)).toBe('2');
  expect(cellText([], field('list'), words)).toBe('');
  expect(cellText(null, field('text'), words)).toBe('');
  expect(cellText('<b>x</b>', field('text'), words)).toBe('<b>x</b>');
  expect(cellText({ code: 'A', name: 'B', more: 'C' }, field('object'), words)).toBe('A · B');
  const labels = { '0': { en: 'Opened', de: 'Offen', es: 'Abierta', pt: 'Aberto' } };
  const wordsWithNames = { ...words, name: ({ names }: { names: { en: string } }) => names.en };
  expect(cellText(0, { ...field('integer'), labels }, wordsWithNames)).toBe('0 · Opened');
  expect(cellText(7, { ...field('integer'), labels }, wordsWithNames)).toBe('7');
});

test('rows that are no objects are shown all the same', () => {
  expect(toRows(['x', { a: 1 }])).toEqual([{ value: 'x' }, { a: 1 }]);
  expect(isRow(null)).toBe(false);
});
