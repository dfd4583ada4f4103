import type { Field, Names, SpanForm, Value as JsonValue } from '@/ipc/bindings';
import { parseTicks, formatTicks } from '../durations';

/** A row of a response: its members by name. Its text is untrusted and is only shown as text. */
export type Row = { readonly [member: string]: JsonValue };

/** A row and its position in its set. */
export type TableRow = { position: number; row: Row };

/** The position of the focused row in its set, and the focused column. */
export type FocusedRow = { position: number; path: string };

export type CellFormats = {
  yes: string;
  no: string;
  duration: (seconds: number) => string;
  decimal: (value: number) => string;
  serviceTime: (text: string) => string;
  /** Translates names. Needed if fields have labels for their codes. */
  name?: (thing: { names: Names }) => string;
  /** The form of time spans, words by default. */
  spans?: SpanForm;
};

export function toRows(values: readonly JsonValue[]): Row[] {
  return values.map((value) => (isRow(value) ? value : { value }));
}

export function isRow(value: JsonValue | undefined): value is { [member: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Formats a member's value as text. A list is shown as the number of its parts. */
export function cellText(value: JsonValue | undefined, field: Field | null, words: CellFormats): string {
  if (value === null || value === undefined) return '';
  const names = typeof value === 'object' ? undefined : field?.labels?.[String(value)];
  const label = names && words.name?.({ names });
  // The code stays next to its label, because filters and other programs use it.
  if (label) return `${String(value)} · ${label}`;
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  if (typeof value === 'number') return formatNumber(value, field, words);
  if (typeof value === 'string') return formatText(value, field, words);
  if (Array.isArray(value)) return value.length === 0 ? '' : String(value.length);
  if (typeof value.ticks === 'number') return formatTicks(value.ticks, words.spans ?? 'words', words.duration);
  return Object.values(value)
    .filter((part) => typeof part === 'string' || typeof part === 'number')
    .slice(0, 2)
    .join(' · ');
}

function formatNumber(value: number, field: Field | null, words: CellFormats): string {
  // The engine returns the number of parts instead of a list.
  if (field?.kind === 'list') return value === 0 ? '' : String(value);
  return field?.kind === 'integer' ? String(value) : words.decimal(value);
}

function formatText(text: string, field: Field | null, words: CellFormats): string {
  if (field?.kind === 'date-time') return words.serviceTime(text);
  const ticks = field?.kind === 'duration' || field?.kind === 'time-span' ? parseTicks(text) : null;
  return ticks === null ? text : formatTicks(ticks, words.spans ?? 'words', words.duration);
}

/** Whether a column is right-aligned. */
export function isNumeric(field: Field): boolean {
  return field.kind === 'number' || isTimeSpan(field) || field.kind === 'list';
}

export function isTimeSpan(field: Field | null): boolean {
  return field?.kind === 'duration' || field?.kind === 'time-span';
}

/** Whether a field is a business key or code, which is shown in monospace. */
export function isCode(field: Field, key: readonly string[]): boolean {
  return field.kind === 'text' && (key.includes(field.name) || /code$/iu.test(field.name));
}
