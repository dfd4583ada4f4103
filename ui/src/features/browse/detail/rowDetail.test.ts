import { expect, test } from 'vitest';

import type { Field } from '@/ipc/bindings';
import { operation } from '@/test/samples';
import { lockedPropertyLists, propertiesOf } from './rowDetail';

const names = { en: '', de: '', es: '', pt: '' };
const limits = { minimum: null, exclusiveMinimum: null, maximum: null, maxLength: null, values: [] };

function field(name: string, kind: Field['kind'], fields: Field[] = []): Field {
  const provenance = { level: 'specified' as const, source: '' };
  return { name, kind, required: false, nullable: true, names, synonyms: [], limits, example: null, provenance, refersTo: null, sense: [], fields };
}

test('properties are known by what the contract says of their locks', () => {
  const properties = { list: 'marks', key: 'name', value: 'text', lock: 'shut' };
  const provenance = { level: 'assumed' as const, source: '' };
  const fieldWithLock: Field = { ...field('marks', 'list'), sense: [{ sense: 'notLocked', row: { list: 'l', key: [] }, key: 'k', value: 'v', lock: null, properties, provenance }] };
  const lockedLists = lockedPropertyLists([{ ...operation(), request: { member: 'items', schema: 'S', rules: [], fields: [fieldWithLock] } }]);
  const meaning = { places: new Map(), properties: lockedLists, reserved: '' };
  expect(propertiesOf(field('marks', 'list', [field('name', 'text'), field('shut', 'boolean')]), meaning)).toEqual(properties);
  expect(propertiesOf(field('marks', 'list', [field('name', 'text')]), meaning)).toBeUndefined();
});
