import type { EventFilter } from '@/base/eventFilter';
import { type Moment, parseMoment } from '@/base/values/moments';

/** A range in the computer's time zone, as in the list. A day without a time means the whole day. */
export type TimeSpan = { from: Moment; to: Moment };

type Bounds = Pick<EventFilter, 'since' | 'until'>;

export const QUICK_SPANS = ['last-hour', 'today', 'yesterday', 'last-7-days'] as const;
type Quick = (typeof QUICK_SPANS)[number];

export function quickBounds(name: Quick, now: Date): Bounds {
  switch (name) {
    case 'last-hour':
      return { since: new Date(now.getTime() - 3_600_000).toISOString(), until: null };
    case 'today':
      return { since: dayOf(now, 0), until: null };
    case 'yesterday':
      return { since: dayOf(now, -1), until: dayOf(now, 0) };
    case 'last-7-days':
      return { since: dayOf(now, -6), until: null };
  }
}

export function boundsOf({ from, to }: TimeSpan): Bounds {
  return { since: startOf(from), until: endOf(to) };
}

export function spanOf({ since, until }: Bounds): TimeSpan {
  return { from: inputMoment(since, 0), to: inputMoment(until, -1) };
}

/** Whether the range ends before it begins. */
export function isReversed({ since, until }: Bounds): boolean {
  return since !== null && until !== null && Date.parse(since) >= Date.parse(until);
}

function startOf({ day, time }: Moment): string | null {
  const at = new Date(`${day}T${time || '00:00'}`);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

function endOf({ day, time }: Moment): string | null {
  if (time !== '') return startOf({ day, time });
  const at = new Date(`${day}T00:00`);
  return Number.isNaN(at.getTime()) ? null : dayOf(at, 1);
}

/** Returns the start of the day that is `days` after a timestamp. */
function dayOf(at: Date, days: number): string {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate() + days).toISOString();
}

/** Converts a bound to the day and time of its input. At midnight, the time is empty and `days` are added: 0 for the begin, -1 for the end of a range. */
function inputMoment(iso: string | null, days: number): Moment {
  if (iso === null) return { day: '', time: '' };
  const at = new Date(iso);
  const midnight = at.getHours() === 0 && at.getMinutes() === 0;
  const { day, time } = parseMoment(written(midnight ? new Date(at.getFullYear(), at.getMonth(), at.getDate() + days) : at));
  return { day, time: midnight ? '' : time };
}

function written(at: Date): string {
  return `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}T${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
