/** Continues a series as Excel's fill handle does. Returns null for less than two cells, or if they aren't a series. */
export function continueSeries(texts: readonly string[], count: number): string[] | null {
  if (texts.length < 2) return null;
  return continueDates(texts, count) ?? continueCodes(texts, count);
}

/** Continues evenly spaced numbers. Null if the steps differ or are zero. */
function continueNumbers(numbers: readonly number[], count: number): number[] | null {
  const [first = 0, second = 0] = numbers;
  const step = second - first;
  const isEven = numbers.every((number, at) => Math.abs(number - (first + at * step)) < 1e-9);
  if (!isEven || step === 0) return null;
  return Array.from({ length: count }, (_, at) => first + (numbers.length + at) * step);
}

const DATE_PATTERN = /^(?:(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)|(?<d>\d{1,2})\.(?<m>\d{1,2})\.(?<y>\d{4}))$/u;
const MILLISECONDS_PER_DAY = 86_400_000;

/** Continues dates whose order of year, month and day is unambiguous. */
function continueDates(texts: readonly string[], count: number): string[] | null {
  const found = texts.map((text) => DATE_PATTERN.exec(text)?.groups);
  const hasDashes = found.every((one) => one?.year !== undefined);
  if (!hasDashes && !found.every((one) => one?.y !== undefined)) return null;
  const numbers = found.map((one) =>
    Date.UTC(Number(one?.year ?? one?.y), Number(one?.month ?? one?.m) - 1, Number(one?.day ?? one?.d)) / MILLISECONDS_PER_DAY,
  );
  const isPadded = texts.every((text) => text.length === 10);
  return (
    continueNumbers(numbers, count)?.map((number) => {
      const [year = '', month = '', day = ''] = new Date(number * MILLISECONDS_PER_DAY).toISOString().slice(0, 10).split('-');
      if (hasDashes) return `${year}-${month}-${day}`;
      return isPadded ? `${day}.${month}.${year}` : `${Number(day)}.${Number(month)}.${year}`;
    }) ?? null
  );
}

/** Continues numbers, and codes that differ only in the number at the end. */
function continueCodes(texts: readonly string[], count: number): string[] | null {
  const decimal = texts.map((text) => /^(-?\d+)([.,])(\d{1,6})$/u.exec(text));
  const [sign, places] = [decimal[0]?.[2] ?? '', decimal[0]?.[3]?.length ?? 0];
  if (decimal.every((one) => one?.[2] === sign && one?.[3]?.length === places)) {
    const numbers = continueNumbers(texts.map((text) => Number(text.replace(',', '.'))), count);
    return numbers?.map((number) => number.toFixed(places).replace('.', sign)) ?? null;
  }
  const found = texts.map((text) => /^(.*?)(-?\d{1,15})$/su.exec(text));
  const [prefix = ''] = found.map((one) => one?.[1]);
  if (!found.every((one) => one !== null && one[1] === prefix) || /^[\d.,:/\s-]+$/u.test(prefix)) return null;
  // After letters, a hyphen is a separator instead of a minus sign.
  const isText = prefix !== '';
  const digits = found.map((one) => (isText ? (one?.[2] ?? '').replace('-', '') : (one?.[2] ?? '')));
  const head = isText && found[0]?.[2]?.startsWith('-') ? `${prefix}-` : prefix;
  const width = digits.some((one) => /^0\d/u.test(one)) ? Math.max(...digits.map((one) => one.length)) : 0;
  const numbers = continueNumbers(digits.map(Number), count);
  if (numbers === null || (isText && numbers.some((number) => number < 0))) return null;
  return numbers.map((number) => `${head}${String(number).padStart(width, '0')}`);
}
