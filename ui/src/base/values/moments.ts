/** A day, with a time unless the whole day is meant. */
export type Moment = { day: string; time: string };

export function parseMoment(value: string): Moment {
  const [, day = '', time = ''] = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}))?/u.exec(value) ?? [];
  return { day, time };
}

export function formatMoment({ day, time }: Moment): string {
  if (day === '') return '';
  return time === '' ? day : `${day}T${time}`;
}
