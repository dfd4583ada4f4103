/** Seconds from a timestamp until now, at least 0. */
export function secondsSince(iso: string, now: number): number {
  return Math.max(0, Math.round((now - Date.parse(iso)) / 1000));
}

/** Formats a time in the site's time zone, with the date if it isn't today. */
export function siteTime(iso: string, zone: string, language: string, now: number, seconds = false): string {
  const at = new Date(iso);
  const day = new Intl.DateTimeFormat(language, { timeZone: zone, day: 'numeric', month: 'short' });
  const time = new Intl.DateTimeFormat(language, { timeZone: zone, timeStyle: seconds ? 'medium' : 'short', hourCycle: 'h23' });
  const today = day.format(at) === day.format(now);
  return today ? time.format(at) : `${day.format(at)} ${time.format(at)}`;
}
