/** A day, with a time unless the whole day is meant. */
export type LocalDateTime = { day: string; time: string };

export function parseLocalDateTime(value: string): LocalDateTime {
  const [, day = '', time = ''] = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}))?/u.exec(value) ?? [];
  return { day, time };
}

export function formatLocalDateTime({ day, time }: LocalDateTime): string {
  if (day === '') return '';
  return time === '' ? day : `${day}T${time}`;
}
