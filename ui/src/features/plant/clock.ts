/** The plant's wall time, counted as if it were UTC, so that the computer's own time zone never touches it. */
export type Wall = number;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
/** When the plant's first shift begins. */
export const MORNING = 6;

/** The plant's local date-time without an offset; null where it isn't one. */
export function wall(text: string): Wall | null {
  const [, upToSeconds] = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)/u.exec(text) ?? [];
  const at = upToSeconds ? Date.parse(`${upToSeconds}Z`) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

/** `14:05:09`. */
export function timeOfDay(at: Wall): string {
  return new Date(at).toISOString().slice(11, 19);
}

type Said = { weekday: (at: Wall) => string; date: (at: Wall) => string };

/** As a time on the floor is best read: `14:05` today, `Mon 14:05` in the next days, else with its date. */
export function planned(text: string, now: Wall, { weekday, date }: Said): string {
  const at = wall(text);
  if (at === null) return text;
  const time = timeOfDay(at).slice(0, 5);
  const days = Math.floor(at / DAY) - Math.floor(now / DAY);
  if (days === 0) return time;
  return days > 0 && days < 7 ? `${weekday(at)} ${time}` : `${date(at)} ${time}`;
}

/** The next morning of a working day, Monday to Friday; never now. */
export function nextMorning(now: Wall): Wall {
  let next = Math.floor(now / DAY) * DAY + MORNING * 60 * MINUTE;
  while (next <= now || [0, 6].includes(new Date(next).getUTCDay())) next += DAY;
  return next;
}

/** Whole minutes, never too few. */
export function minutesUntil(then: Wall, now: Wall): number {
  return Math.ceil((then - now) / MINUTE);
}
