import type { Language } from '@/ipc/bindings';

/** The format of a day in each language, in the notation of Day.js. */
export const DAY_FORMATS: Record<Language, string> = {
  en: 'MMM D, YYYY',
  de: 'DD.MM.YYYY',
  es: 'DD/MM/YYYY',
  pt: 'DD/MM/YYYY',
};

/** A day as it can be typed in each language. */
export const DAY_EXAMPLES: Record<Language, string> = { en: '11/30/2026', de: '30.11.2026', es: '30/11/2026', pt: '30/11/2026' };

/**
 * Returns a typed day in ISO 8601, or null. English has the month first, the other languages the day. A year of two digits is in
 * this century.
 */
export function parseDay(text: string, language: Language): string | null {
  const typed = text.trim();
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/u.exec(typed);
  if (iso) return toIsoDay(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const numbers = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})$/u.exec(typed);
  if (numbers) {
    const [first, second, typedYear] = [Number(numbers[1]), Number(numbers[3]), Number(numbers[4])];
    const year = typedYear < 100 ? 2000 + typedYear : typedYear;
    return language === 'en' ? toIsoDay(year, first, second) : toIsoDay(year, second, first);
  }
  // The input's own English format, such as "Nov 30, 2026".
  const [, name, day, year] = /^([A-Za-z]{3})[a-z]* (\d{1,2}), (\d{4})$/u.exec(typed) ?? [];
  const month = MONTHS.indexOf(name?.toLowerCase() ?? '') + 1;
  return language === 'en' && month > 0 ? toIsoDay(Number(year), month, Number(day)) : null;
}

const MONTHS: readonly string[] = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

function toIsoDay(year: number, month: number, day: number): string | null {
  const text = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
  const date = new Date(`${text}T00:00:00Z`);
  // `Date` converts a day that doesn't exist, such as February 30, to another one.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) ? text : null;
}
