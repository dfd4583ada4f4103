import { type UseMutationResult, type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

import { useSite } from '@/base/appState';
import { queryKeys } from '@/base/queryKeys';
import { refetchQueries } from '@/base/refetch';
import { useServiceEvents } from '@/base/useServiceEvents';
import { type Floor, type FloorRead, type StationState, commands } from '@/ipc/bindings';
import { nextTicket } from '@/ipc/tickets';

export const STATION_STATES: readonly StationState[] = ['alarm', 'running', 'paused', 'begun', 'idle', 'unknown'];

/** Refetch interval in milliseconds. It detects a receiver that stopped. */
const POLL_INTERVAL = 15_000;
/** Refetch interval while events arrive or wait to be counted, in milliseconds. */
const ACTIVE_POLL_INTERVAL = 1_000;

/** Returns the live state of the floor. */
export function useFloor(): UseQueryResult<Floor> {
  const site = useSite()?.site.name;
  const queries = useQueryClient();
  useServiceEvents(() => void refetchQueries(queries, queryKeys.floors), ACTIVE_POLL_INTERVAL);
  return useQuery({
    queryKey: queryKeys.floor(site),
    queryFn: () => commands.floorNow(),
    enabled: site !== undefined,
    refetchInterval: ({ state }) => ((state.data?.behind ?? 0) > 0 ? ACTIVE_POLL_INTERVAL : POLL_INTERVAL),
    retry: false,
  });
}

/** Reads the service's own data, which then fills the floor where events are missing. */
export function useFloorRead(): UseMutationResult<FloorRead, unknown, void> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => commands.floorRead(nextTicket()),
    onSuccess: () => refetchQueries(queries, queryKeys.floors),
  });
}

/**
 * Reads the service's data once, if no receiver has run since Takt started and you are signed in. Errors aren't shown, because it
 * wasn't requested by the user.
 */
export function useFirstFloorRead(floor: Floor | undefined): void {
  const isSignedIn = useSite()?.signedIn === true;
  const { mutate, isIdle } = useFloorRead();
  const isWanted = isSignedIn && floor !== undefined && floor.asked === null && isIdle;
  useEffect(() => {
    if (isWanted) mutate();
  }, [isWanted, mutate]);
}

/** Returns the current time, updated at the given interval. */
export function useNow(every: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const tick = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(tick);
  }, [every]);
  return now;
}
