import type { ValueLinks } from '@/base/links/useValueLinks';
import type { Field, PropertyFields, Operation, RowCut } from '@/ipc/bindings';

/** The truncated values of a row. `lengths` has their full lengths by JSON pointer. */
export type TruncatedValues = { set: number; position: number; lengths: ReadonlyMap<string, number> };

export function toTruncatedValues(cuts: readonly RowCut[], set: number, position: number): TruncatedValues {
  return { set, position, lengths: new Map(cuts.map(({ path, of }) => [path, of])) };
}

/** Builds a member's JSON pointer. */
export function appendPointer(above: string, name: string): string {
  return `${above}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Returns the field names of a JSON pointer, without list indexes. */
export function fieldPath(path: string): string {
  return path.split('/').filter((part) => part !== '' && !/^\d+$/u.test(part)).join('/');
}

/** The links of a row's values, its property lists with their locks, and the prefix of reserved property keys. */
export type DetailContext = { places: ValueLinks; properties: readonly PropertyFields[]; reserved: string };

/** Returns the member names of a property list, undefined for any other list. */
export function propertiesOf(field: Field, { properties }: DetailContext): PropertyFields | undefined {
  const has = (name: string) => field.fields.some((inner) => inner.name === name);
  return properties.find(({ list, key, lock }) => list === field.name && has(key) && has(lock));
}

/** Returns the property lists with locks. An operation must not change a locked property. */
export function lockedPropertyLists(operations: readonly Operation[]): PropertyFields[] {
  const sense = (field: Field): Field['sense'] => [...field.sense, ...field.fields.flatMap(sense)];
  const all = operations.flatMap(({ request }) => (request?.fields ?? []).flatMap(sense));
  return all.flatMap((one) => (one.sense === 'notLocked' ? [one.properties] : []));
}
