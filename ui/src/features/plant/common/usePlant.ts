import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';

import { useAppState } from '@/base/appState';
import { queryKeys } from '@/base/queryKeys';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { type Overview, commands } from '@/ipc/bindings';

/** Interval for refetching the plant while its page is open, in milliseconds. */
const POLL_INTERVAL = 1000;
/** Interval for refetching the number of active faults for the navigation rail, in milliseconds. */
const FAULTS_POLL_INTERVAL = 5000;

/** Returns the plant's state and refetches it regularly. */
export function usePlant(): UseQueryResult<Overview> {
  return useQuery({ queryKey: queryKeys.plant, queryFn: () => commands.plantOverview(), refetchInterval: POLL_INTERVAL, staleTime: 0 });
}

/** Returns the number of faults that are switched on. */
export function useFaultsOn(): number {
  const { data: app } = useAppState();
  const { data } = useQuery({
    queryKey: queryKeys.plant,
    queryFn: () => commands.plantOverview(),
    refetchInterval: FAULTS_POLL_INTERVAL,
    enabled: app?.practiceReady === true,
    select: ({ faults }) => faults.length,
  });
  return data ?? 0;
}

type PlantCommand = {
  /** Runs a command and refetches the plant. Errors are shown in a notice. */
  run: (what: () => Promise<unknown>, after?: () => void) => void;
  busy: boolean;
};

/** Runs plant commands, one at a time. */
export function usePlantCommand(): PlantCommand {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: (what: () => Promise<unknown>) => what(),
    onError: showProblemNotice,
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.plant }),
  });
  return {
    run: (what, after) => {
      if (!isPending) mutate(what, after && { onSuccess: after });
    },
    busy: isPending,
  };
}
