import type { HistoryQuery, SubmissionState } from '@/ipc/bindings';

/** The filters of the submission list. Dates are local days such as `2026-11-22`. */
export type HistoryFilter = {
  text: string;
  site: string | null;
  state: SubmissionState | 'unconfirmed' | null;
  from: string;
  to: string;
};

export const NO_FILTER: HistoryFilter = { text: '', site: null, state: null, from: '', to: '' };

export const SUBMISSION_STATES: readonly SubmissionState[] = ['preparing', 'running', 'paused', 'stopped', 'interrupted', 'finished'];

/** Converts the filters to a query. Days become timestamps, and the last day is included. */
export function toQuery({ text, site, state, from, to }: HistoryFilter): HistoryQuery {
  return {
    text: text.trim() || null,
    site,
    state: state === 'unconfirmed' ? null : state,
    unconfirmed: state === 'unconfirmed',
    since: startOfDayAfter(from, 0),
    until: startOfDayAfter(to, 1),
  };
}

/** The total number of matches, and the query that it belongs to. */
export type HistoryRead = { queryText: string; total: number };

/** Returns a text that is equal for equal queries. */
export function toQueryText(query: HistoryQuery): string {
  return JSON.stringify(query);
}

/** Returns the local start of the day that is `later` days after `day`. */
function startOfDayAfter(day: string, later: number): string | null {
  const [year, month, date] = day.split('-').map(Number);
  if (!year || !month || !date) return null;
  const at = new Date(year, month - 1, date + later);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
