import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';

import { useAppState } from '@/base/appState';
import { queryKeys } from '@/base/queryKeys';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { type Overview, commands } from '@/ipc/bindings';

/** How often the page looks, while it is to be seen. */
const LOOK = 1000;
/** How often the rail looks whether the plant makes faults. */
const GLANCE = 5000;

/** The plant at a glance, always fresh. */
export function usePlant(): UseQueryResult<Overview> {
  return useQuery({ queryKey: queryKeys.plant, queryFn: () => commands.plantOverview(), refetchInterval: LOOK, staleTime: 0 });
}

/** How many faults the plant is told to make. */
export function useFaultsOn(): number {
  const { data: app } = useAppState();
  const { data } = useQuery({
    queryKey: queryKeys.plant,
    queryFn: () => commands.plantOverview(),
    refetchInterval: GLANCE,
    enabled: app?.practiceReady === true,
    select: ({ faults }) => faults.length,
  });
  return data ?? 0;
}

type PlantCommand = {
  /** Does it, and looks at the plant again; what goes wrong is told in a notice. */
  run: (what: () => Promise<unknown>, after?: () => void) => void;
  busy: boolean;
};

/** Telling the plant something. A second one waits until the first is done. */
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
