import { isTimeSpan } from '@/base/values/cells';
import { parseTicks, formatTicks } from '@/base/durations';
import type { Field, Filter, Test } from '@/ipc/bindings';
import type { TableColumn } from './columns';

/** The comparison that a column's filter uses. */
export type FilterMode = 'contains' | 'lacks' | 'equals' | 'oneOf' | 'between' | 'yes' | 'no' | 'filled' | 'empty';

/** A filter as typed. */
export type FilterDraft = { mode: FilterMode; text: string; texts: string[]; from: string; to: string };

type FilterKind = 'text' | 'number' | 'span' | 'time' | 'truth';

const FILTER_MODES: Record<FilterKind, readonly FilterMode[]> = {
  text: ['contains', 'lacks', 'equals', 'oneOf', 'filled', 'empty'],
  number: ['between', 'filled', 'empty'],
  span: ['between', 'filled', 'empty'],
  time: ['between', 'filled', 'empty'],
  truth: ['yes', 'no', 'empty'],
};

export function filterKindOf(field: Field | null): FilterKind {
  if (isTimeSpan(field)) return 'span';
  if (field?.kind === 'integer' || field?.kind === 'number' || field?.kind === 'list') return 'number';
  if (field?.kind === 'date-time') return 'time';
  return field?.kind === 'boolean' ? 'truth' : 'text';
}

export function modesOf(column: TableColumn): readonly FilterMode[] {
  return FILTER_MODES[filterKindOf(column.field)];
}

export function toDraft(column: TableColumn, filter: Filter | undefined): FilterDraft {
  const empty: FilterDraft = { mode: modesOf(column)[0] ?? 'contains', text: '', texts: [], from: '', to: '' };
  if (!filter) return empty;
  const { test } = filter;
  switch (test.is) {
    case 'contains':
    case 'lacks':
    case 'equals':
      return { ...empty, mode: test.is, text: test.text };
    case 'oneOf':
      return { ...empty, mode: 'oneOf', texts: test.texts };
    case 'between': {
      const valueText = (value: number | null) => (value === null ? '' : isTimeSpan(column.field) ? formatTicks(value, 'clock', String) : String(value));
      return { ...empty, mode: 'between', from: valueText(test.from), to: valueText(test.to) };
    }
    case 'during':
      return { ...empty, mode: 'between', from: test.from ?? '', to: test.to ?? '' };
    case 'truth':
      return { ...empty, mode: test.value ? 'yes' : 'no' };
    default:
      return { ...empty, mode: test.is };
  }
}

/** Converts a draft to a test. Returns null for an empty draft and `false` for one that can't be parsed. */
export function toTest(column: TableColumn, draft: FilterDraft): Test | null | false {
  const text = draft.text.trim();
  switch (draft.mode) {
    case 'contains':
    case 'lacks':
    case 'equals':
      return text ? { is: draft.mode, text } : null;
    case 'oneOf':
      return draft.texts.length > 0 ? { is: 'oneOf', texts: draft.texts } : null;
    case 'yes':
    case 'no':
      return { is: 'truth', value: draft.mode === 'yes' };
    case 'between':
      return rangeTest(column, draft.from.trim(), draft.to.trim());
    default:
      return { is: draft.mode };
  }
}

function rangeTest(column: TableColumn, from: string, to: string): Test | null | false {
  if (!from && !to) return null;
  const kind = filterKindOf(column.field);
  if (kind === 'time') return { is: 'during', from: from || null, to: to || null };
  const parse = kind === 'span' ? parseDuration : parseNumber;
  const [low, high] = [from ? parse(from) : null, to ? parse(to) : null];
  return (from && low === null) || (to && high === null) ? false : { is: 'between', from: low, to: high };
}

/** Parses `1:30` as hours and minutes, `1:30:15` with seconds, and a bare number as minutes. */
function parseDuration(text: string): number | null {
  if (/^\d+$/u.test(text)) return Number(text) * 60 * 10_000_000;
  return parseTicks(text.split(':').length === 2 ? `${text}:00` : text);
}

/** Parses a decimal with a comma or point. `1,234` is rejected, because the comma may separate thousands. */
function parseNumber(text: string): number | null {
  const isDecimal = /^[+-]?\d*[.,]?\d+$/u.test(text);
  const isAmbiguous = /^[+-]?[1-9]\d{0,2},\d{3}$/u.test(text);
  return isDecimal && !isAmbiguous ? Number(text.replace(',', '.')) : null;
}
