import type { Destination, EventQuery } from '../../ipc/bindings';

/** No condition at all. */
export const anyEvent: EventQuery = {
  site: null,
  kinds: [],
  states: [],
  station: null,
  employee: null,
  order: null,
  text: null,
  since: null,
  until: null,
  upTo: null,
};

/** Where a replay went last: an address, or a target by its number. */
export type Where = { address: string; target: string | null };

const kept = 'takt-replay-to';

export function remembered(): Where {
  return { address: localStorage.getItem(kept) ?? '', target: null };
}

export function remember({ address, target }: Where): void {
  if (target === null) localStorage.setItem(kept, address.trim());
}

/** Nothing where a person hasn't said yet. */
export function destination({ address, target }: Where): Destination | null {
  if (target !== null) return { to: 'target', id: Number(target) };
  return address.trim() === '' ? null : { to: 'address', address: address.trim() };
}
