import type { Field, Value as JsonValue } from '../../ipc/bindings';

/** A row of an answer: its members by name. Its text is not trusted and is only ever shown as text. */
export type Row = { readonly [member: string]: JsonValue };

export type Words = {
  yes: string;
  no: string;
  duration: (seconds: number) => string;
  decimal: (value: number) => string;
  serviceTime: (text: string) => string;
};

export function toRows(values: readonly JsonValue[]): Row[] {
  return values.map((value) => (isRow(value) ? value : { value }));
}

export function isRow(value: JsonValue | undefined): value is { [member: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member's value as a person reads it. Lists say how many parts they have. */
export function shown(value: JsonValue | undefined, field: Field | null, words: Words): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  if (typeof value === 'number') return field?.kind === 'integer' ? String(value) : words.decimal(value);
  if (typeof value === 'string') return field?.kind === 'date-time' ? words.serviceTime(value) : value;
  if (Array.isArray(value)) return value.length === 0 ? '' : String(value.length);
  const seconds = timeSpanSeconds(value);
  if (seconds !== null) return words.duration(seconds);
  return Object.values(value)
    .filter((part) => typeof part === 'string' || typeof part === 'number')
    .slice(0, 2)
    .join(' · ');
}

const ticksPerSecond = 10_000_000;

/** The seconds of a time span object: its ticks say it all. */
export function timeSpanSeconds(value: JsonValue | undefined): number | null {
  if (!isRow(value)) return null;
  return typeof value.ticks === 'number' ? value.ticks / ticksPerSecond : null;
}

/** What sorting and alignment go by. */
export function isNumeric(field: Field): boolean {
  return field.kind === 'number' || field.kind === 'duration' || field.kind === 'time-span' || field.kind === 'list';
}

/** Business keys and other codes are read letter by letter: they stand in the monospaced face. */
export function isCode(field: Field, key: readonly string[]): boolean {
  return field.kind === 'text' && (key.includes(field.name) || /code$/iu.test(field.name));
}
