import type { Field, Names, SpanForm, Value as JsonValue } from '@/ipc/bindings';
import { clockTicks, spanText } from '../durations';

/** A row of an answer: its members by name. Its text is not trusted and is only ever shown as text. */
export type Row = { readonly [member: string]: JsonValue };

/** One row of a table, and where it stands in the set. */
export type TableRow = { position: number; row: Row };

/** A row by its position in the set, and the column on which a person stands. */
export type RowPlace = { position: number; path: string };

export type Words = {
  yes: string;
  no: string;
  duration: (seconds: number) => string;
  decimal: (value: number) => string;
  serviceTime: (text: string) => string;
  /** A name in the window's language; needed where fields have words for their codes. */
  name?: (thing: { names: Names }) => string;
  /** How time spans are written; in words where nothing is said. */
  spans?: SpanForm;
};

export function toRows(values: readonly JsonValue[]): Row[] {
  return values.map((value) => (isRow(value) ? value : { value }));
}

export function isRow(value: JsonValue | undefined): value is { [member: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member's value as a person reads it. Lists say how many parts they have. */
export function cellText(value: JsonValue | undefined, field: Field | null, words: Words): string {
  if (value === null || value === undefined) return '';
  const names = typeof value === 'object' ? undefined : field?.labels?.[String(value)];
  const label = names && words.name?.({ names });
  // The code stays beside its word: filters and other programs know it by that.
  if (label) return `${String(value)} · ${label}`;
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  if (typeof value === 'number') return numberShown(value, field, words);
  if (typeof value === 'string') return textShown(value, field, words);
  if (Array.isArray(value)) return value.length === 0 ? '' : String(value.length);
  if (typeof value.ticks === 'number') return spanText(value.ticks, words.spans ?? 'words', words.duration);
  return Object.values(value)
    .filter((part) => typeof part === 'string' || typeof part === 'number')
    .slice(0, 2)
    .join(' · ');
}

function numberShown(value: number, field: Field | null, words: Words): string {
  // In a table a list is how many parts it has.
  if (field?.kind === 'list') return value === 0 ? '' : String(value);
  return field?.kind === 'integer' ? String(value) : words.decimal(value);
}

function textShown(text: string, field: Field | null, words: Words): string {
  if (field?.kind === 'date-time') return words.serviceTime(text);
  const ticks = field?.kind === 'duration' || field?.kind === 'time-span' ? clockTicks(text) : null;
  return ticks === null ? text : spanText(ticks, words.spans ?? 'words', words.duration);
}

/** What alignment goes by. */
export function isNumeric(field: Field): boolean {
  return field.kind === 'number' || isSpan(field) || field.kind === 'list';
}

export function isSpan(field: Field | null): boolean {
  return field?.kind === 'duration' || field?.kind === 'time-span';
}

/** Business keys and other codes are read letter by letter: they stand in the monospaced face. */
export function isCode(field: Field, key: readonly string[]): boolean {
  return field.kind === 'text' && (key.includes(field.name) || /code$/iu.test(field.name));
}
