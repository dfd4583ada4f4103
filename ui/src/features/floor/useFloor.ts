import { type UseMutationResult, type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

import { useSite } from '@/base/appState';
import { queryKeys } from '@/base/queryKeys';
import { refetchQueries } from '@/base/refetch';
import { useServiceEvents } from '@/base/useServiceEvents';
import { type Floor, type FloorDifference, type FloorRead, type FloorStationView, type StationState, commands } from '@/ipc/bindings';
import { nextTicket } from '@/ipc/tickets';

/** What a station does; `unknown` is one of which no event tells an order, `unheard` one that the service has and no event has named. */
export type Shown = StationState | 'unknown' | 'unheard';

export const states: readonly Shown[] = ['alarm', 'running', 'paused', 'begun', 'idle', 'unknown', 'unheard'];

/** How long what is known may be without anybody looking again, in milliseconds: the receiver may have gone. */
const LOOK = 15_000;
/** While events come, or wait to be counted. */
const LOOK_SOON = 1_000;

/** What the events say of the floor, live. */
export function useFloor(): UseQueryResult<Floor> {
  const site = useSite()?.site.name;
  const queries = useQueryClient();
  useServiceEvents(() => void refetchQueries(queries, queryKeys.floors), LOOK_SOON);
  return useQuery({
    queryKey: queryKeys.floor(site),
    queryFn: () => commands.floorNow(),
    enabled: site !== undefined,
    refetchInterval: ({ state }) => ((state.data?.behind ?? 0) > 0 ? LOOK_SOON : LOOK),
    retry: false,
  });
}

/** Reads what the service itself says. */
export function useFloorRead(): UseMutationResult<FloorRead, unknown, void> {
  return useMutation({ mutationFn: () => commands.floorRead(nextTicket()) });
}

/** The time now, a few times a minute. */
export function useNow(every: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const tick = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(tick);
  }, [every]);
  return now;
}

/** A station as it is shown: what events say of it, and what only the service says. */
export type ShownStation = { state: Shown; station: FloorStationView; held: readonly FloorDifference[] };

/**
 * Stations as they are shown: those of the events, then those that only the service knows. That no event tells of an order on a station
 * doesn't say that none lies there, since it may have begun before anybody listened: only the service's answer makes it idle.
 */
export function stationsOf(floor: Floor, read: FloorRead | undefined): readonly ShownStation[] {
  const codes = new Set(floor.stations.map(({ code }) => code));
  const unheard = (read?.stations ?? []).filter(({ code }) => !codes.has(code));
  const begun = (code: string) =>
    (read?.differences ?? []).filter((one) => one.station === code && one.serviceState === 'running' && one.reported?.state !== 'paused');
  return [
    ...floor.stations.map((station) => {
      const held = begun(station.code);
      const idle: Shown = held.length > 0 ? 'begun' : read?.whole ? 'idle' : 'unknown';
      return { state: station.state === 'idle' ? idle : station.state, station, held };
    }),
    ...unheard.map(({ code, name }) => {
      const held = begun(code);
      return { state: held.length > 0 ? ('begun' as const) : ('unheard' as const), station: { ...nothing, code, name }, held };
    }),
  ];
}

const nothing: FloorStationView = { code: '', name: null, state: 'idle', since: null, orders: [], alerts: [], event: 0, last: '' };
