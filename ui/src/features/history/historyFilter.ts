import type { HistoryQuery, SubmissionState } from '@/ipc/bindings';

/** What a person looks for. Dates are days of this computer's calendar, as `2026-11-22`. */
export type HistoryFilter = {
  text: string;
  site: string | null;
  state: SubmissionState | 'unconfirmed' | null;
  from: string;
  to: string;
};

export const everything: HistoryFilter = { text: '', site: null, state: null, from: '', to: '' };

export const states: readonly SubmissionState[] = ['preparing', 'running', 'paused', 'stopped', 'interrupted', 'finished'];

/** The question to the engine: days become moments, the last one included. */
export function asQuery({ text, site, state, from, to }: HistoryFilter): HistoryQuery {
  return {
    text: text.trim() || null,
    site,
    state: state === 'unconfirmed' ? null : state,
    unconfirmed: state === 'unconfirmed',
    since: midnight(from, 0),
    until: midnight(to, 1),
  };
}

/** How many fit a question. */
export type HistoryRead = { queryText: string; total: number };

/** Equal questions are equal texts. */
export function asText(query: HistoryQuery): string {
  return JSON.stringify(query);
}

/** The beginning of a day on this computer, or of one so many days later. */
function midnight(day: string, later: number): string | null {
  const [year, month, date] = day.split('-').map(Number);
  if (!year || !month || !date) return null;
  const at = new Date(year, month - 1, date + later);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
