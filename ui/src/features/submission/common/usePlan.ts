import { useQuery } from '@tanstack/react-query';

import { queryClient } from '@/base/queryClient';
import { queryKeys } from '@/base/queryKeys';
import { type PlanView, type Problem, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';

const POLL_INTERVAL = 2000;

/** Returns the state of a plan, and keeps it up to date. */
export function usePlan(id: number): { plan: PlanView | undefined; problem: Problem | null } {
  const { data, error } = useQuery({
    queryKey: queryKeys.plan(id),
    queryFn: () => commands.planGet(id),
    // Polling corrects a response that arrives after a newer event.
    refetchInterval: ({ state }) => (state.data?.running ? POLL_INTERVAL : false),
  });
  return { plan: data, problem: error ? toProblem(error) : null };
}

/** Caches a command's response. Refetches the plan too, because the response may be older than the last event. */
export function storePlan(plan: PlanView): void {
  queryClient.setQueryData(queryKeys.plan(plan.id), plan);
  for (const step of plan.submissions) {
    queryClient.setQueryData(queryKeys.submission(step.id), step);
    void queryClient.invalidateQueries({ queryKey: queryKeys.submission(step.id) });
  }
  refreshPlan(plan.id);
}

export function refreshPlan(plan: number): void {
  void queryClient.invalidateQueries({ queryKey: queryKeys.plan(plan) });
  void queryClient.invalidateQueries({ queryKey: queryKeys.submissions });
}
