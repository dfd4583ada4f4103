import type { EventQuery } from '@/ipc/bindings';

/** The filters of the event list. The site isn't part of them. */
export type EventFilter = Required<Omit<EventQuery, 'site' | 'upTo' | 'only'>>;

export const EMPTY_FILTER: EventFilter = { kinds: [], states: [], station: null, employee: null, order: null, text: null, since: null, until: null };

export function isEmptyFilter(filter: EventFilter): boolean {
  return toFilterKey(filter) === toFilterKey(EMPTY_FILTER);
}

/** Returns a key that is equal for equal filters. */
export function toFilterKey(filter: EventFilter): string {
  const { kinds, states, station, employee, order, text, since, until } = filter;
  return JSON.stringify({ kinds, states, station: trimToNull(station), employee: trimToNull(employee), order: trimToNull(order), text: trimToNull(text), since, until });
}

export function toEventQuery(filter: EventFilter, site: string | null, upTo: number | null): Required<EventQuery> {
  const { station, employee, order, text } = filter;
  return { ...filter, station: trimToNull(station), employee: trimToNull(employee), order: trimToNull(order), text: trimToNull(text), site, upTo, only: [] };
}

/** Removes the time range before storing, because an old range would hide new events. */
export function withoutTime(filter: EventFilter): EventFilter {
  return { ...filter, since: null, until: null };
}

/** Fills in missing members. Filters stored by an earlier version lack newer members, and links set only some of them. */
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

function trimToNull(text: string | null): string | null {
  return text?.trim() ? text.trim() : null;
}
