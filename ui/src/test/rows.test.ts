import { expect, test } from 'vitest';

import { isRow, cellText, timeSpanSeconds, toRows } from '@/base/values/cells';
import { reachable } from '@/features/import-session/session';
import { grouped, limited } from '@/features/import/columns/columnGroups';
import { columnLetters } from '@/features/import/file/columnLetters';
import { cleaned, emptySite, isWhole, scopesOf } from '@/features/settings/draft';
import { fates, worst } from '@/features/submission/fates';
import type { ColumnView, Field } from '@/ipc/bindings';
import { importView } from './samples';

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
});

test('rows that are no objects are shown all the same', () => {
  expect(toRows(['x', { a: 1 }])).toEqual([{ value: 'x' }, { a: 1 }]);
  expect(isRow(null)).toBe(false);
  expect(timeSpanSeconds({ days: 1 })).toBeNull();
});

test('columns are lettered as in Excel', () => {
  expect([0, 25, 26, 701, 702, 16_383].map(columnLetters)).toEqual(['A', 'Z', 'AA', 'ZZ', 'AAA', 'XFD']);
});

test('unsure columns come first and the limit counts over all groups', () => {
  const column = (index: number, reason: 'similar' | 'same-name' | null, candidates = 0): ColumnView => ({
    index,
    letter: columnLetters(index),
    heading: 'h',
    own: index === 9,
    samples: [],
    matched: reason ? { field: 'f', score: 1, reason } : null,
    also: [],
    format: null,
    candidates: Array.from({ length: candidates }, () => ({ field: 'f', score: 0.4, reason: 'similar' as const })),
  });
  const groups = grouped([column(0, 'same-name'), column(1, 'similar'), column(2, null), column(3, null, 1)]);
  expect(groups).toEqual([
    { group: 'unsure', columns: [1, 3] },
    { group: 'matched', columns: [0] },
    { group: 'left', columns: [2] },
  ]);
  expect(limited(groups, 3).map(({ columns, total }) => [columns, total])).toEqual([
    [[1, 3], 2],
    [[0], 1],
  ]);
});

test('steps can be reached when what they need is known', () => {
  const view = importView();
  expect(reachable('columns', { view, submission: null })).toBe(true);
  expect(reachable('check', { view: { ...view, operation: null }, submission: null })).toBe(false);
  expect(reachable('send', { view: { ...view, headerRow: null }, submission: null })).toBe(false);
  expect(reachable('results', { view, submission: null })).toBe(false);
  expect(reachable('results', { view, submission: 1 })).toBe(true);
});

test('a batch shows its worst fate, and what needs a person stands first', () => {
  const none = { pending: 0, sending: 0, accepted: 0, rejected: 0, inDoubt: 0, skipped: 0 };
  expect(worst({ ...none, accepted: 99, inDoubt: 1 })).toBe('inDoubt');
  expect(worst({ ...none, accepted: 99, rejected: 1 })).toBe('rejected');
  expect(worst({ ...none, accepted: 100 })).toBe('accepted');
  expect(fates[0]).toBe('inDoubt');
  expect(new Set(fates).size).toBe(6);
});

test('a site is whole when nothing is missing, and is trimmed', () => {
  const site = { ...emptySite, name: ' works ', baseUrl: 'https://a', authUrl: 'https://b', clientId: 'c', scope: 's', proxy: ' ' };
  expect(isWhole(emptySite)).toBe(false);
  expect(isWhole(site)).toBe(true);
  expect(isWhole({ ...site, redirectUris: ['  ', ''] })).toBe(false);
  expect(cleaned(site)).toMatchObject({ name: 'works', proxy: null });
});

test("the scopes of a new site are the contract's", () => {
  const flows = { authorizationCode: { scopes: { one: '', two: '' } } };
  expect(scopesOf({ components: { securitySchemes: { oauth2: { flows } } } })).toBe('one two');
  expect(scopesOf(null)).toBe('');
});
