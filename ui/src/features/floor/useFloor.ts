import { type UseMutationResult, type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

import { useSite } from '@/base/appState';
import { queryKeys } from '@/base/queryKeys';
import { refetchQueries } from '@/base/refetch';
import { useServiceEvents } from '@/base/useServiceEvents';
import { type Floor, type FloorRead, type StationState, commands } from '@/ipc/bindings';
import { nextTicket } from '@/ipc/tickets';

export const states: readonly StationState[] = ['alarm', 'running', 'paused', 'begun', 'idle', 'unknown'];

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

/** Reads what the service itself says; from then on it stands on the floor where no event tells. */
export function useFloorRead(): UseMutationResult<FloorRead, unknown, void> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => commands.floorRead(nextTicket()),
    onSuccess: () => refetchQueries(queries, queryKeys.floors),
  });
}

/**
 * Asks the service once for what began before anybody listened, if nobody did since Takt was started and somebody is signed in.
 * What it says beside isn't shown: nobody asked for it.
 */
export function useFirstFloorRead(floor: Floor | undefined): void {
  const isSignedIn = useSite()?.signedIn === true;
  const { mutate, isIdle } = useFloorRead();
  const isWanted = isSignedIn && floor !== undefined && floor.asked === null && isIdle;
  useEffect(() => {
    if (isWanted) mutate();
  }, [isWanted, mutate]);
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
