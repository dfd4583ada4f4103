import type { EventQuery } from '../../ipc/bindings';

/** What a person can look for in the list; the site is the one that is chosen. */
export type Wanted = Required<Omit<EventQuery, 'site' | 'upTo' | 'only'>>;

export const anything: Wanted = { kinds: [], states: [], station: null, employee: null, order: null, text: null, since: null, until: null };

export function isAnything(wanted: Wanted): boolean {
  return asText(wanted) === asText(anything);
}

/** Two that ask the same have the same text. */
export function asText(wanted: Wanted): string {
  const { kinds, states, station, employee, order, text, since, until } = wanted;
  return JSON.stringify({ kinds, states, station: said(station), employee: said(employee), order: said(order), text: said(text), since, until });
}

export function asQuery(wanted: Wanted, site: string | null, upTo: number | null): Required<EventQuery> {
  const { station, employee, order, text } = wanted;
  return { ...wanted, station: said(station), employee: said(employee), order: said(order), text: said(text), site, upTo, only: [] };
}

/** What of it is remembered: a time that is over would hide what comes. */
export function lasting(wanted: Wanted): Wanted {
  return { ...wanted, since: null, until: null };
}

/** What was kept may lack what an earlier Takt didn't know; what a person was sent to see is narrowed by nothing else. */
export function asWanted(kept: Partial<EventQuery>): Wanted {
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
