import { useQuery } from '@tanstack/react-query';

import { queryClient } from '@/base/queryClient';
import { queryKeys } from '@/base/queryKeys';
import { type PlanView, type Problem, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';

/** Each step's own events are finer; this only says which step it is. */
const often = 500;

/** A plan as it stands. */
export function usePlan(id: number): { plan: PlanView | undefined; problem: Problem | null } {
  const { data, error } = useQuery({
    queryKey: queryKeys.plan(id),
    queryFn: () => commands.planGet(id),
    refetchInterval: ({ state }) => (state.data?.running ? often : false),
  });
  return { plan: data, problem: error ? toProblem(error) : null };
}

/** Takes what a command answered. */
export function storePlan(plan: PlanView): void {
  queryClient.setQueryData(queryKeys.plan(plan.id), plan);
  refreshPlan(plan.id);
}

export function refreshPlan(plan: number): void {
  void queryClient.invalidateQueries({ queryKey: queryKeys.plan(plan) });
  void queryClient.invalidateQueries({ queryKey: queryKeys.submissions });
}
