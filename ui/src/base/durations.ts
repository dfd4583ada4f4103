import type { SpanForm } from '@/ipc/bindings';

export const TICKS_PER_SECOND = 10_000_000;

const DURATION_PATTERN = /^(-)?(?:(\d+)\.)?(\d+):(\d{2}):(\d{2})(?:\.(\d{1,7}))?$/u;

/** Parses a duration (`[-][d.]hh:mm:ss[.fffffff]`) into ticks. Returns null for any other text. */
export function parseTicks(text: string): number | null {
  const [, sign, days, hours, minutes, seconds, fraction] = DURATION_PATTERN.exec(text.trim()) ?? [];
  if (hours === undefined) return null;
  const wholeSeconds = ((Number(days ?? 0) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
  const ticks = wholeSeconds * TICKS_PER_SECOND + Number((fraction ?? '').padEnd(7, '0'));
  return sign ? -ticks : ticks;
}

/** Formats ticks in the given form. `words` formats seconds in the window's language. */
export function formatTicks(ticks: number, form: SpanForm, words: (seconds: number) => string): string {
  if (form === 'ticks') return String(ticks);
  return form === 'clock' ? formatClock(ticks) : words(ticks / TICKS_PER_SECOND);
}

/** Formats ticks as `hh:mm:ss`. Days are counted as hours, and a fraction is shown only if it isn't zero. */
function formatClock(ticks: number): string {
  const absoluteTicks = Math.abs(ticks);
  const seconds = Math.floor(absoluteTicks / TICKS_PER_SECOND);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, '0'));
  const fraction = absoluteTicks % TICKS_PER_SECOND;
  const fractionText = fraction === 0 ? '' : `.${String(fraction).padStart(7, '0').replace(/0+$/u, '')}`;
  return `${ticks < 0 ? '−' : ''}${parts.join(':')}${fractionText}`;
}
