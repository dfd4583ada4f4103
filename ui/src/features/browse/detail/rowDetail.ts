import type { ValueLinks } from '@/base/links/useValueLinks';
import type { Field, PropertyFields, Operation, RowCut } from '@/ipc/bindings';

/** What had to be cut in a row, by JSON pointer, and where the row is. */
export type Cuts = { set: number; position: number; of: ReadonlyMap<string, number> };

export function cutsOf(cuts: readonly RowCut[], set: number, position: number): Cuts {
  return { set, position, of: new Map(cuts.map(({ path, of }) => [path, of])) };
}

/** A member's JSON pointer. */
export function pointer(above: string, name: string): string {
  return `${above}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The fields on the way to a member, without the places in lists. */
export function wayTo(path: string): string {
  return path.split('/').filter((part) => part !== '' && !/^\d+$/u.test(part)).join('/');
}

/** What a row's values lead to, and what is marked in its lists of properties. */
export type Meaning = { places: ValueLinks; properties: readonly PropertyFields[]; reserved: string };

/** The names of a list of properties; absent for any other list. */
export function propertiesOf(field: Field, { properties }: Meaning): PropertyFields | undefined {
  const has = (name: string) => field.fields.some((inner) => inner.name === name);
  return properties.find(({ list, key, lock }) => list === field.name && has(key) && has(lock));
}

/** What the contract says of properties that the service holds, wherever an operation minds their locks. */
export function heldProperties(operations: readonly Operation[]): PropertyFields[] {
  const sense = (field: Field): Field['sense'] => [...field.sense, ...field.fields.flatMap(sense)];
  const all = operations.flatMap(({ request }) => (request?.fields ?? []).flatMap(sense));
  return all.flatMap((one) => (one.sense === 'notLocked' ? [one.properties] : []));
}
