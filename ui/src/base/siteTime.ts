/** Seconds from a moment until now; never less than none, where a clock runs ahead. */
export function secondsSince(iso: string, now: number): number {
  return Math.max(0, Math.round((now - Date.parse(iso)) / 1000));
}

/** The time of day on the site's wall, with the day where it isn't today's. */
export function siteTime(iso: string, zone: string, language: string, now: number, seconds = false): string {
  const at = new Date(iso);
  const day = new Intl.DateTimeFormat(language, { timeZone: zone, day: 'numeric', month: 'short' });
  const time = new Intl.DateTimeFormat(language, { timeZone: zone, timeStyle: seconds ? 'medium' : 'short', hourCycle: 'h23' });
  const today = day.format(at) === day.format(now);
  return today ? time.format(at) : `${day.format(at)} ${time.format(at)}`;
}
