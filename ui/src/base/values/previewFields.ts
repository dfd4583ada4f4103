import type { Field, Value as Json } from '@/ipc/bindings';
import { parseTicks, TICKS_PER_SECOND } from '../durations';

/** Splits `rawMaterials[M-1].quantity` into the field `rawMaterials.quantity` and the part `M-1`. */
export function splitPath(path: string): { field: string; part: string | null } {
  const from = path.indexOf('[');
  const to = path.lastIndexOf(']');
  if (from < 0 || to < from) return { field: path, part: null };
  return { field: path.slice(0, from) + path.slice(to + 1), part: path.slice(from + 1, to) };
}

type ValueFormats = {
  yes: string;
  no: string;
  decimal: (value: number) => string;
  serviceTime: (text: string) => string;
  duration: (seconds: number) => string;
};

/** Formats a field's value, null if it is empty. Codes and texts stay unchanged. */
export function formatValue(value: Json, kind: string | null, words: ValueFormats): string | null {
  if (value === null || value === '') return null;
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  if (typeof value === 'number') return kind === 'integer' ? String(value) : words.decimal(value);
  if (typeof value === 'string') return formatText(value, kind, words);
  return JSON.stringify(value);
}

function formatText(text: string, kind: string | null, words: ValueFormats): string {
  if (kind === 'date-time') return words.serviceTime(text);
  const ticks = kind === 'duration' || kind === 'time-span' ? parseTicks(text) : null;
  return ticks === null ? text : words.duration(ticks / TICKS_PER_SECOND);
}

/** Returns the contract's fields along a path, outermost first. Empty if the contract lacks the path. */
export function fieldsAlong(fields: readonly Field[], path: string): Field[] {
  const [first = '', ...rest] = path.split('.');
  const field = fields.find(({ name }) => name === first);
  if (!field) return [];
  if (rest.length === 0) return [field];
  const inner = fieldsAlong(field.fields, rest.join('.'));
  return inner.length === 0 ? [] : [field, ...inner];
}
