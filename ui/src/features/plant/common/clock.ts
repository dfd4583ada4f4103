/** The plant's local time as if it were UTC, so that the computer's time zone has no effect. */
export type WallTime = number;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
/** The hour at which the plant's first shift begins. */
const MORNING_HOUR = 6;

/** Parses the plant's local date-time without an offset, null if it isn't one. */
export function parseWallTime(text: string): WallTime | null {
  const [, upToSeconds] = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)/u.exec(text) ?? [];
  const at = upToSeconds ? Date.parse(`${upToSeconds}Z`) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

/** Formats a time of day, such as `14:05:09`. */
export function timeOfDay(at: WallTime): string {
  return new Date(at).toISOString().slice(11, 19);
}

type DateFormats = { weekday: (at: WallTime) => string; date: (at: WallTime) => string };

/** Formats a planned time: `14:05` today, `Mon 14:05` in the next days, or the date. */
export function formatPlanned(text: string, now: WallTime, { weekday, date }: DateFormats): string {
  const at = parseWallTime(text);
  if (at === null) return text;
  const days = daysBetween(now, at);
  if (days === 0) return formatHourAndMinute(at);
  return days > 0 && days < 7 ? `${weekday(at)} ${formatHourAndMinute(at)}` : date(at);
}

/** Formats a past time: `14:05` today, or with the date on other days. */
export function formatPast(text: string, now: WallTime, { date }: Pick<DateFormats, 'date'>): string {
  const at = parseWallTime(text);
  if (at === null) return text;
  return daysBetween(now, at) === 0 ? formatHourAndMinute(at) : `${date(at)} ${formatHourAndMinute(at)}`;
}

function formatHourAndMinute(at: WallTime): string {
  return timeOfDay(at).slice(0, 5);
}

function daysBetween(one: WallTime, other: WallTime): number {
  return Math.floor(other / DAY) - Math.floor(one / DAY);
}

/** Returns the begin of the first shift on the next working day (Monday to Friday). It is always in the future. */
export function nextMorning(now: WallTime): WallTime {
  let next = Math.floor(now / DAY) * DAY + MORNING_HOUR * 60 * MINUTE;
  while (next <= now || [0, 6].includes(new Date(next).getUTCDay())) next += DAY;
  return next;
}

/** Returns the minutes until a time, rounded up. */
export function minutesUntil(then: WallTime, now: WallTime): number {
  return Math.ceil((then - now) / MINUTE);
}
