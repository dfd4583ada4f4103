import type { Look } from './colors';

const UPPER_PART = { top: 0.08, bottom: 0.64 };
const LOWER_PART = { top: 0.68, bottom: 0.92 };
const FULL_HEIGHT = { top: 0, bottom: 1 };

export const planLooks = {
  planned: { fill: 'picture-plan', outline: 'picture-plan-line', text: 'text', ...UPPER_PART },
  waiting: { fill: 'picture-plan', outline: 'unconfirmed', pattern: 'dots', patternInk: 'unconfirmed', text: 'text', ...UPPER_PART },
  overdue: { fill: 'picture-plan', outline: 'bad', text: 'text', ...UPPER_PART },
  real: { fill: 'accent', ...LOWER_PART },
  late: { fill: 'bad', pattern: 'stripes', patternInk: 'ground', ...LOWER_PART },
  running: { fill: 'accent', open: true, ...LOWER_PART },
  overrun: { fill: 'bad', pattern: 'stripes', patternInk: 'ground', open: true, ...LOWER_PART },
  moved: { fill: 'accent-soft', outline: 'accent', text: 'text', over: true, ...UPPER_PART },
  off: { fill: 'sunk', ...FULL_HEIGHT },
  stoppage: { fill: 'sunk', pattern: 'stripes', patternInk: 'line-strong', ...FULL_HEIGHT },
} satisfies Record<string, Look>;

const nowLook: Look = { fill: 'unconfirmed', ...FULL_HEIGHT };

export const alertLooks = {
  open: { fill: 'bad', pattern: 'stripes', patternInk: 'ground', outline: 'bad', top: 0.15, bottom: 0.85 },
  seen: { fill: 'picture-5', outline: 'unconfirmed', top: 0.3, bottom: 0.7 },
  unseen: { fill: 'bad', pattern: 'stripes', patternInk: 'ground', outline: 'bad', open: true, top: 0.15, bottom: 0.85 },
  unclosed: { fill: 'picture-5', outline: 'unconfirmed', open: true, top: 0.3, bottom: 0.7 },
} satisfies Record<string, Look>;

export const shiftLooks: Look[] = ([1, 2, 3] as const).map((at) => ({
  fill: `picture-${at}-soft`,
  outline: `picture-${at}`,
  text: 'text',
  top: 0.1,
  bottom: 0.9,
}));

export const stoppageLook: Look = { fill: 'ground', outline: 'unconfirmed', over: true, pattern: 'stripes', patternInk: 'unconfirmed', top: 0.22, bottom: 0.78 };

type LegendEntry = { look: Look; text: string };

export function planLegend(label: (key: Exclude<keyof typeof planLooks, 'overrun'> | 'now') => string, known: boolean, moved: boolean): LegendEntry[] {
  const keys = (['planned', 'waiting', 'overdue', 'moved', 'real', 'running', 'late', 'off', 'stoppage'] as const).filter(
    (key) => (known || (key !== 'off' && key !== 'stoppage')) && (moved || key !== 'moved'),
  );
  return [...keys.map((key) => ({ look: planLooks[key], text: label(key) })), { look: nowLook, text: label('now') }];
}

export function alertLegend(label: (key: 'open' | 'seen' | 'now') => string): LegendEntry[] {
  return [{ look: alertLooks.open, text: label('open') }, { look: alertLooks.seen, text: label('seen') }, { look: nowLook, text: label('now') }];
}

export function weekLegend(names: readonly string[], stopped: string): LegendEntry[] {
  const shiftEntries = names.slice(0, shiftLooks.length).map((text, at) => ({ look: shiftLooks[at] ?? stoppageLook, text }));
  return [...shiftEntries, { look: stoppageLook, text: stopped }];
}
