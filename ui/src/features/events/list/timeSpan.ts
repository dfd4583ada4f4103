import type { EventFilter } from '@/base/eventFilter';
import { type LocalDateTime, parseLocalDateTime } from '@/base/values/localDateTime';

/** A range in the computer's time zone, as in the list. A day without a time means the whole day. */
export type DateTimeRange = { from: LocalDateTime; to: LocalDateTime };

type TimeBounds = Pick<EventFilter, 'since' | 'until'>;

export const QUICK_SPANS = ['last-hour', 'today', 'yesterday', 'last-7-days'] as const;
type QuickSpan = (typeof QUICK_SPANS)[number];

export function quickBounds(name: QuickSpan, now: Date): TimeBounds {
  switch (name) {
    case 'last-hour':
      return { since: new Date(now.getTime() - 3_600_000).toISOString(), until: null };
    case 'today':
      return { since: startOfDayAfter(now, 0), until: null };
    case 'yesterday':
      return { since: startOfDayAfter(now, -1), until: startOfDayAfter(now, 0) };
    case 'last-7-days':
      return { since: startOfDayAfter(now, -6), until: null };
  }
}

export function toBounds({ from, to }: DateTimeRange): TimeBounds {
  return { since: toSince(from), until: toUntil(to) };
}

export function toRange({ since, until }: TimeBounds): DateTimeRange {
  return { from: toInputValue(since, 0), to: toInputValue(until, -1) };
}

/** Whether the range ends before it begins. */
export function isReversed({ since, until }: TimeBounds): boolean {
  return since !== null && until !== null && Date.parse(since) >= Date.parse(until);
}

function toSince({ day, time }: LocalDateTime): string | null {
  const at = new Date(`${day}T${time || '00:00'}`);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

function toUntil({ day, time }: LocalDateTime): string | null {
  if (time !== '') return toSince({ day, time });
  const at = new Date(`${day}T00:00`);
  return Number.isNaN(at.getTime()) ? null : startOfDayAfter(at, 1);
}

/** Returns the start of the day that is `days` after a timestamp. */
function startOfDayAfter(at: Date, days: number): string {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate() + days).toISOString();
}

/**
 * Converts a bound to the day and time of its input. At midnight, the time is empty and `days` is added to the day. `days` is 0
 * for the begin of a range and -1 for its end.
 */
function toInputValue(iso: string | null, days: number): LocalDateTime {
  if (iso === null) return { day: '', time: '' };
  const at = new Date(iso);
  const midnight = at.getHours() === 0 && at.getMinutes() === 0;
  const { day, time } = parseLocalDateTime(toLocalText(midnight ? new Date(at.getFullYear(), at.getMonth(), at.getDate() + days) : at));
  return { day, time: midnight ? '' : time };
}

function toLocalText(at: Date): string {
  return `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}T${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
