import type { Look } from './colors';

const above = { top: 0.08, bottom: 0.64 };
const below = { top: 0.68, bottom: 0.92 };
const whole = { top: 0, bottom: 1 };

export const plan = {
  planned: { fill: 'picture-plan', outline: 'picture-plan-line', text: 'text', ...above },
  waiting: { fill: 'picture-plan', outline: 'unconfirmed', pattern: 'dots', patternInk: 'unconfirmed', text: 'text', ...above },
  overdue: { fill: 'picture-plan', outline: 'bad', text: 'text', ...above },
  real: { fill: 'accent', ...below },
  late: { fill: 'bad', pattern: 'stripes', patternInk: 'ground', ...below },
  running: { fill: 'accent', open: true, ...below },
  overrun: { fill: 'bad', pattern: 'stripes', patternInk: 'ground', open: true, ...below },
  moved: { fill: 'accent-soft', outline: 'accent', text: 'text', over: true, ...above },
  off: { fill: 'sunk', ...whole },
  stoppage: { fill: 'sunk', pattern: 'stripes', patternInk: 'line-strong', ...whole },
} satisfies Record<string, Look>;

const now: Look = { fill: 'unconfirmed', ...whole };

export const alerts = {
  open: { fill: 'bad', pattern: 'stripes', patternInk: 'ground', outline: 'bad', top: 0.15, bottom: 0.85 },
  seen: { fill: 'picture-5', outline: 'unconfirmed', top: 0.3, bottom: 0.7 },
  unseen: { fill: 'bad', pattern: 'stripes', patternInk: 'ground', outline: 'bad', open: true, top: 0.15, bottom: 0.85 },
  unclosed: { fill: 'picture-5', outline: 'unconfirmed', open: true, top: 0.3, bottom: 0.7 },
} satisfies Record<string, Look>;

export const shifts: Look[] = ([1, 2, 3] as const).map((at) => ({
  fill: `picture-${at}-soft`,
  outline: `picture-${at}`,
  text: 'text',
  top: 0.1,
  bottom: 0.9,
}));

export const stoppage: Look = { fill: 'ground', outline: 'unconfirmed', over: true, pattern: 'stripes', patternInk: 'unconfirmed', top: 0.22, bottom: 0.78 };

type Entry = { look: Look; text: string };

export function planLegend(label: (key: Exclude<keyof typeof plan, 'overrun'> | 'now') => string, known: boolean, moved: boolean): Entry[] {
  const keys = (['planned', 'waiting', 'overdue', 'moved', 'real', 'running', 'late', 'off', 'stoppage'] as const).filter(
    (key) => (known || (key !== 'off' && key !== 'stoppage')) && (moved || key !== 'moved'),
  );
  return [...keys.map((key) => ({ look: plan[key], text: label(key) })), { look: now, text: label('now') }];
}

export function alertLegend(label: (key: 'open' | 'seen' | 'now') => string): Entry[] {
  return [{ look: alerts.open, text: label('open') }, { look: alerts.seen, text: label('seen') }, { look: now, text: label('now') }];
}

export function weekLegend(names: readonly string[], stopped: string): Entry[] {
  const shown = names.slice(0, shifts.length).map((text, at) => ({ look: shifts[at] ?? stoppage, text }));
  return [...shown, { look: stoppage, text: stopped }];
}
