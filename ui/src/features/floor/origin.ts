import type { FloorStationView } from '@/ipc/bindings';

/** Whether an order or alert is known from an event, or only from the service's own data. */
export type Origin = 'event' | 'service';

export function originOf({ event }: { event: number | null }): Origin {
  return event === null ? 'service' : 'event';
}

export type Origins = {
  /** The origin of most orders and alerts. It is stated once, not for each of them. */
  common: Origin;
  /** Whether some have another origin. Those are marked. */
  differ: boolean;
};

/** Returns the origins of the orders and alerts at some stations. */
export function originsOf(stations: readonly FloorStationView[]): Origins {
  const all = stations.flatMap(({ orders, alerts }) => [...alerts, ...orders].map(originOf));
  const fromService = all.filter((origin) => origin === 'service').length;
  return { common: fromService * 2 > all.length ? 'service' : 'event', differ: fromService > 0 && fromService < all.length };
}
