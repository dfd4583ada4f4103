import { expect, test } from 'vitest';

import { fieldPath } from '@/features/browse/detail/rowDetail';
import type { Field, Operation, OrderLists, RefersTo } from '@/ipc/bindings';
import { readOperation } from '@/test/readSamples';
import { operation } from '@/test/samples';
import { linksOf, linksOfColumns } from './valueLinks';

const { names, provenance } = readOperation();
const limits = { minimum: null, exclusiveMinimum: null, maximum: null, maxLength: null, values: [] };
const to = (more: Partial<RefersTo>): RefersTo => ({ field: 'code', within: [], unknown: 'refused', provenance, ...more });
const member = (name: string, refersTo: RefersTo | null = null, fields: Field[] = []): Field => ({
  name, kind: 'text', required: false, nullable: true, names, synonyms: [], limits, example: null, provenance, refersTo, sense: [], fields,
});
const shape = (fields: Field[]) => ({ member: 'data', schema: 'x', fields, rules: [] });

const parts = member('rawMaterials', null, [member('code'), member('quantity')]);
const list: Operation = { ...readOperation(), answer: shape([member('code'), member('materialCode'), member('operationCode'), parts]) };
const materials: Operation = { ...readOperation(), id: 'materials.list', answer: shape([member('code'), member('description')]) };
const readBack = { list: list.id, key: [], provenance: list.provenance };
const sync: Operation = {
  ...operation(),
  readBack,
  request: shape([
    member('code'),
    member('materialCode', to({ list: 'materials.list' })),
    member('rawMaterials', null, [member('code', to({ list: 'materials.list' }))]),
  ]),
};
const dates: Operation = {
  ...operation(),
  id: 'dates.sync',
  readBack,
  request: shape([
    member('workOrderCode', to({ list: list.id })),
    member('operationCode', to({ list: list.id, field: 'operationCode', within: [{ own: 'workOrderCode', theirs: 'code' }] })),
  ]),
};
const all = [list, materials, sync, dates];
const orders: OrderLists = { parts: [], fields: { [list.id]: 'code' }, keys: {} };

test("a row's codes and those of its parts lead to what is sent by them", () => {
  const leads = linksOf(list, all, orders);
  expect([...leads.keys()]).toEqual(['materialCode', 'rawMaterials/code']);
  expect(leads.get('rawMaterials/code')?.('RAW-1')).toEqual({ page: 'browse', operation: 'materials.list', parameters: {}, find: 'RAW-1' });
  expect(fieldPath('/rawMaterials/12/code')).toBe('rawMaterials/code');
});

test("what a list calls its own by the same name leads nowhere", () => {
  expect([...linksOf(materials, all, orders).keys()]).toEqual([]);
});

test('columns lead where their names alone say what they name', () => {
  const lead = (columns: string[]) => [...linksOfColumns(columns, all, orders)].map(([name, leads]) => [name, leads('1').page]);
  expect(lead(['workOrderCode', 'materialCode', 'count'])).toEqual([['workOrderCode', 'order'], ['materialCode', 'browse']]);
  expect(lead(['code', 'operationCode'])).toEqual([['code', 'order']]);
  expect(lead(['code', 'description'])).toEqual([]);
  expect(lead(['code'])).toEqual([]);
});
