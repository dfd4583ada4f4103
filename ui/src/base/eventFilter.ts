import type { EventQuery } from '@/ipc/bindings';

/** What a person can look for in the list; the site is the one that is chosen. */
export type EventFilter = Required<Omit<EventQuery, 'site' | 'upTo' | 'only'>>;

export const emptyFilter: EventFilter = { kinds: [], states: [], station: null, employee: null, order: null, text: null, since: null, until: null };

export function isEmptyFilter(wanted: EventFilter): boolean {
  return toFilterKey(wanted) === toFilterKey(emptyFilter);
}

/** Two that ask the same have the same text. */
export function toFilterKey(wanted: EventFilter): string {
  const { kinds, states, station, employee, order, text, since, until } = wanted;
  return JSON.stringify({ kinds, states, station: said(station), employee: said(employee), order: said(order), text: said(text), since, until });
}

export function toEventQuery(wanted: EventFilter, site: string | null, upTo: number | null): Required<EventQuery> {
  const { station, employee, order, text } = wanted;
  return { ...wanted, station: said(station), employee: said(employee), order: said(order), text: said(text), site, upTo, only: [] };
}

/** What of it is remembered: a time that is over would hide what comes. */
export function withoutTime(wanted: EventFilter): EventFilter {
  return { ...wanted, since: null, until: null };
}

/** What was kept may lack what an earlier Takt didn't know; what a person was sent to see is narrowed by nothing else. */
export function toEventFilter(kept: Partial<EventQuery>): EventFilter {
  return {
    kinds: kept.kinds ?? [],
    states: kept.states ?? [],
    station: kept.station ?? null,
    employee: kept.employee ?? null,
    order: kept.order ?? null,
    text: kept.text ?? null,
    since: kept.since ?? null,
    until: kept.until ?? null,
  };
}

function said(text: string | null): string | null {
  return text?.trim() ? text.trim() : null;
}
