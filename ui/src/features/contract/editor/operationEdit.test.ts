import { expect, test } from 'vitest';

import type { Field, Operation } from '@/ipc/bindings';
import { operation } from '@/test/samples';
import { formatCodes, parseCodes } from './codes';
import { newField, editsOf, isEmptyEdit, toDraft, toEdit } from './operationEdit';

const names = { en: 'Code', de: '', es: '', pt: '' };

function field(name: string, more: Partial<Field> = {}): Field {
  const provenance = { level: 'assumed' as const, source: '' };
  const limits = { minimum: null, exclusiveMinimum: null, maximum: null, maxLength: null, values: [] };
  return {
    name,
    kind: 'text',
    required: false,
    nullable: true,
    names,
    synonyms: [],
    limits,
    example: null,
    provenance,
    refersTo: null,
    sense: [],
    fields: [],
    ...more,
  };
}

function listOperation(): Operation {
  const parts = [field('code', { wire: 'Code' })];
  const fields = [field('code'), field('begin', { kind: 'date-time', form: { form: 'offset-date-time' } }), field('parts', { kind: 'list', fields: parts })];
  return { ...operation(), id: 'orders.list', kind: 'read', method: 'GET', paged: true, paging: { page: 'page', first: 1, rows: 100 }, request: null, answer: { member: 'data', schema: 'Order', fields, rules: [] } };
}

test('only what a person changed is an edit', () => {
  const draft = toDraft(listOperation());
  expect(draft.fields.map(({ path, wire, type }) => [path, wire, type])).toEqual([
    ['code', 'code', 'text'],
    ['begin', 'begin', 'date-time-offset'],
    ['parts', 'parts', null],
    ['parts.code', 'Code', 'text'],
  ]);
  expect(isEmptyEdit(toEdit(listOperation(), draft))).toBe(true);
  const [code, ...others] = draft.fields;
  const edit = toEdit(listOperation(), { ...draft, path: '/orders', first: '0', fields: code ? [{ ...code, wire: 'OrderNo', codes: 'A: 1' }, ...others] : [] });
  expect(edit).toMatchObject({ operation: 'orders.list', method: null, path: '/orders', list: null });
  expect(edit.paging).toMatchObject({ paging: { page: 'page', first: 0, rows: 100 } });
  expect(edit.fields).toEqual([{ place: 'answer', path: 'code', wire: 'OrderNo', valueType: null, required: null, codes: [{ name: 'A', wire: 1 }], gone: false, added: false }]);
});

test('fields are added and taken away', () => {
  const draft = toDraft(listOperation());
  const fields = draft.fields.map((one) => ({ ...one, gone: one.path === 'begin' }));
  const edit = toEdit(listOperation(), { ...draft, fields: [...fields, newField('parameter', 'filter.line')] });
  expect(edit.fields).toEqual([
    { place: 'answer', path: 'begin', wire: null, valueType: null, required: null, codes: null, gone: true, added: false },
    { place: 'parameter', path: 'filter_line', wire: 'filter.line', valueType: 'text', required: false, codes: null, gone: false, added: true },
  ]);
  expect(toEdit(listOperation(), { ...draft, fields: [...draft.fields, { ...newField('answer', 'line'), gone: true }] }).fields).toEqual([]);
});

test('codes are written as they are read', () => {
  const codes = [
    { name: 'In work', wire: 2 },
    { name: 'Done', wire: 'D' },
  ];
  expect(formatCodes({ form: 'codes', codes })).toBe('In work: 2, Done: D');
  expect(parseCodes('In work: 2, Done: D')).toEqual(codes);
  expect(parseCodes('Done')).toBeNull();
  expect(parseCodes('')).toEqual([]);
});

test('operations that were edited one after the other are saved together', () => {
  const [first, second] = [listOperation(), { ...listOperation(), id: 'stations.list' }];
  const drafts = { 'orders.list': { ...toDraft(first), path: '/orders' }, 'stations.list': { ...toDraft(second), path: '/stations' } };
  const paths = (but: string | null) => editsOf(drafts, [first, second, { ...listOperation(), id: 'alerts.list' }], but).map((edit) => [edit.operation, edit.path]);
  expect(paths(null)).toEqual([['orders.list', '/orders'], ['stations.list', '/stations']]);
  expect(paths('orders.list')).toEqual([['stations.list', '/stations']]);
});
