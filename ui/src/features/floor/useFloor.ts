import { useEffect } from 'react';
import { type UseMutationResult, type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';

import { useSite } from '@/base/appState';
import { queryKeys } from '@/base/queryKeys';
import { refetchQueries } from '@/base/refetch';
import { useServiceEvents } from '@/base/useServiceEvents';
import { type Floor, type FloorRead, commands } from '@/ipc/bindings';
import { nextTicket } from '@/ipc/tickets';

/** Interval for refetching the floor without events, in milliseconds. It detects a receiver that stopped. */
const POLL_INTERVAL = 15_000;
/** Interval for refetching the floor while events arrive or aren't included yet, in milliseconds. */
const ACTIVE_POLL_INTERVAL = 1_000;

/** Returns the floor of the selected site, and keeps it up to date. */
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

/** Reads the service's own data. It completes the floor where events are missing. */
export function useFloorRead(): UseMutationResult<FloorRead, unknown, void> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => commands.floorRead(nextTicket()),
    onSuccess: () => refetchQueries(queries, queryKeys.floors),
  });
}

/**
 * Reads the service's data once, if you are signed in and it hasn't been read since Takt was started. Errors aren't shown,
 * because you didn't request the read.
 */
export function useFirstFloorRead(floor: Floor | undefined): void {
  const isSignedIn = useSite()?.signedIn === true;
  const { mutate, isIdle } = useFloorRead();
  const isWanted = isSignedIn && floor !== undefined && floor.asked === null && isIdle;
  useEffect(() => {
    if (isWanted) mutate();
  }, [isWanted, mutate]);
}
