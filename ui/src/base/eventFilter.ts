import type { EventQuery } from '@/ipc/bindings';

/** What a person can look for in the list; the site is the one that is chosen. */
export type EventFilter = Required<Omit<EventQuery, 'site' | 'upTo' | 'only'>>;

export const emptyFilter: EventFilter = { kinds: [], states: [], station: null, employee: null, order: null, text: null, since: null, until: null };

export function isEmptyFilter(filter: EventFilter): boolean {
  return toFilterKey(filter) === toFilterKey(emptyFilter);
}

/** Two that ask the same have the same text. */
export function toFilterKey(filter: EventFilter): string {
  const { kinds, states, station, employee, order, text, since, until } = filter;
  return JSON.stringify({ kinds, states, station: filled(station), employee: filled(employee), order: filled(order), text: filled(text), since, until });
}

export function toEventQuery(filter: EventFilter, site: string | null, upTo: number | null): Required<EventQuery> {
  const { station, employee, order, text } = filter;
  return { ...filter, station: filled(station), employee: filled(employee), order: filled(order), text: filled(text), site, upTo, only: [] };
}

/** What of it is remembered: a time that is over would hide what comes. */
export function withoutTime(filter: EventFilter): EventFilter {
  return { ...filter, since: null, until: null };
}

/** What was kept may lack what an earlier Takt didn't know; what a person was sent to see is narrowed by nothing else. */
export function toEventFilter(query: Partial<EventQuery>): EventFilter {
  return {
    kinds: query.kinds ?? [],
    states: query.states ?? [],
    station: query.station ?? null,
    employee: query.employee ?? null,
    order: query.order ?? null,
    text: query.text ?? null,
    since: query.since ?? null,
    until: query.until ?? null,
  };
}

function filled(text: string | null): string | null {
  return text?.trim() ? text.trim() : null;
}
