import { type LocalDateTime, parseLocalDateTime, formatLocalDateTime } from '@/base/values/localDateTime';
import type { NamedSpan, Operation, Parameter } from '@/ipc/bindings';

/** Values by parameter name, as typed. */
export type Parameters = { [name: string]: string };

/** Time spans with a button. A button is shown only if the site defines the span. */
export const QUICK_SPANS = ['today', 'this-week', 'last-7-days', 'this-shift', 'next-shift'] as const;

/** Returns the parameters for the begin and end of a time span. */
export function spanParameters(operation: Operation): { begin: Parameter; end: Parameter } | null {
  const [begin, end] = (['begin', 'end'] as const).map((which) => operation.parameters.find((one) => one.span === which));
  return begin && end ? { begin, end } : null;
}

/** Returns the named span if both ends use it. */
export function namedSpanOf(operation: Operation, values: Parameters): string | null {
  const span = spanParameters(operation);
  const name = span ? values[span.begin.name] : undefined;
  return name && name === values[span?.end.name ?? ''] && parseLocalDateTime(name).day === '' ? name : null;
}

export function withSpan(operation: Operation, values: Parameters, name: string | null): Parameters {
  const span = spanParameters(operation);
  if (!span) return values;
  return { ...values, [span.begin.name]: name ?? '', [span.end.name]: name ?? '' };
}

/** Converts a value for its input. A named span becomes its date, and an end at midnight becomes the day before. */
export function toInputValue(parameter: Parameter, value: string, spans: readonly NamedSpan[]): LocalDateTime {
  const span = spans.find((one) => one.name === value);
  if (!span) return parseLocalDateTime(value);
  const { day, time } = parseLocalDateTime(parameter.span === 'end' ? span.end : span.begin);
  if (time !== '00:00') return { day, time };
  return { day: parameter.span === 'end' ? dayBefore(day) : day, time: '' };
}

/** Changes one end of the span. The other end keeps the date of its named span. */
export function withDateTime(operation: Operation, values: Parameters, spans: readonly NamedSpan[], name: string, moment: LocalDateTime): Parameters {
  const changed = operation.parameters
    .filter((one) => one.span !== null && values[one.name])
    .map((one) => [one.name, formatLocalDateTime(toInputValue(one, values[one.name] ?? '', spans))] as const);
  return { ...values, ...Object.fromEntries(changed), [name]: formatLocalDateTime(moment) };
}

/** Whether the span ends before it begins. An end without a time is the end of its day. */
export function isReversed(operation: Operation, values: Parameters): boolean {
  const span = spanParameters(operation);
  const begin = parseLocalDateTime(values[span?.begin.name ?? ''] ?? '');
  const end = parseLocalDateTime(values[span?.end.name ?? ''] ?? '');
  if (begin.day === '' || end.day === '') return false;
  return `${begin.day}T${begin.time || '00:00'}` >= `${end.day}T${end.time || '24:00'}`;
}

/** Removes empty values. */
export function withoutEmpty(values: Parameters): Parameters {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ''));
}

export function isComplete(operation: Operation, values: Parameters): boolean {
  return operation.parameters.every((one) => !one.required || (values[one.name] ?? '').trim() !== '');
}

function dayBefore(day: string): string {
  const at = new Date(`${day}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() - 1);
  return at.toISOString().slice(0, 10);
}
