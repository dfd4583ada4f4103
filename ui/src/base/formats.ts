import type { Language } from '@/ipc/bindings';

/** Formatters for one language. Units come from the language files. */
export type Formats = {
  number: (value: number) => string;
  decimal: (value: number) => string;
  dateTime: (iso: string) => string;
  /** A time of a user's action: `today, 14:05`, `yesterday, 14:05`, or the date. */
  recentDateTime: (iso: string) => string;
  serviceTime: (text: string) => string;
  /** `10:32:05` in the computer's time zone. */
  timeOfDay: (iso: string) => string;
  /** Formats wall time given as if it were UTC. */
  day: (wall: number) => string;
  weekday: (wall: number) => string;
  date: (wall: number) => string;
};

const formatsByLanguage = new Map<Language, Formats>();

export function formatsFor(language: Language): Formats {
  const cached = formatsByLanguage.get(language);
  if (cached) return cached;
  const integerFormat = new Intl.NumberFormat(language);
  const decimalFormat = new Intl.NumberFormat(language, { maximumFractionDigits: 6 });
  const dateTimeFormat = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' });
  const timeFormat = new Intl.DateTimeFormat(language, { timeStyle: 'medium', hourCycle: 'h23' });
  const weekday = { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' } as const;
  const longDateFormat = new Intl.DateTimeFormat(language, { ...weekday, year: 'numeric' });
  const weekdayFormat = new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' });
  const shortDateFormat = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const relativeFormat = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const clockFormat = new Intl.DateTimeFormat(language, { timeStyle: 'short' });
  const next: Formats = {
    number: (value) => integerFormat.format(value),
    decimal: (value) => decimalFormat.format(value),
    dateTime: (iso) => {
      const at = new Date(iso);
      return Number.isNaN(at.getTime()) ? iso : dateTimeFormat.format(at);
    },
    recentDateTime: (iso) => {
      const at = new Date(iso);
      const days = Math.round((midnight(new Date()) - midnight(at)) / MILLISECONDS_PER_DAY);
      if (Number.isNaN(at.getTime()) || days < 0 || days > 1) return next.dateTime(iso);
      return `${relativeFormat.format(-days, 'day')}, ${clockFormat.format(at)}`;
    },
    serviceTime: (text) => formatServiceTime(text, day),
    timeOfDay: (iso) => timeFormat.format(new Date(iso)),
    day: (wall) => longDateFormat.format(wall),
    weekday: (wall) => weekdayFormat.format(wall),
    date: (wall) => shortDateFormat.format(wall),
  };
  formatsByLanguage.set(language, next);
  return next;
}

const MILLISECONDS_PER_DAY = 24 * 3600 * 1000;

/** Returns midnight of the local date as if it were UTC, so that every day has 24 hours. */
function midnight(at: Date): number {
  return Date.UTC(at.getFullYear(), at.getMonth(), at.getDate());
}

const DATE_TIME_PATTERN = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2}))?(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/u;

/** Formats a service's date-time as written, without converting its time zone. */
function formatServiceTime(text: string, day: Intl.DateTimeFormat): string {
  const [, date, minutes, seconds, offset] = DATE_TIME_PATTERN.exec(text) ?? [];
  if (!date) return text;
  const at = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(at.getTime())) return text;
  const parts = [day.format(at)];
  if (minutes) parts.push(seconds && seconds !== '00' ? `${minutes}:${seconds}` : minutes);
  if (offset) parts.push(offset === 'Z' ? 'UTC' : offset);
  return parts.join(' ');
}

/** The parts of a duration that are shown: `1 h 05 min`, `12 min 30 s`, `4 s`. */
type DurationParts = { key: 'hours' | 'minutes' | 'seconds'; h: string; min: string; s: string; sign: string };

export function splitDuration(total: number): DurationParts {
  const rounded = Math.round(Math.abs(total));
  const h = Math.floor(rounded / 3600);
  const min = Math.floor((rounded % 3600) / 60);
  const s = rounded % 60;
  const sign = total < 0 && rounded > 0 ? '−' : '';
  if (h > 0) return { key: 'hours', h: String(h), min: twoDigits(min), s: twoDigits(s), sign };
  if (min > 0) return { key: 'minutes', h: '0', min: String(min), s: twoDigits(s), sign };
  return { key: 'seconds', h: '0', min: '0', s: String(s), sign };
}

type TranslateDuration = (key: `duration.${DurationParts['key']}`, values: Omit<DurationParts, 'key'>) => string;

/** Formats seconds as `1 h 05 min`, `12 min 30 s` or `4 s`. Days are counted as hours. */
export function durationText(seconds: number, t: TranslateDuration): string {
  const { key, ...values } = splitDuration(seconds);
  return t(`duration.${key}`, values);
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
