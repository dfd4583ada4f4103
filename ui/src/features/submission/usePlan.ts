import { useQuery } from '@tanstack/react-query';

import { client } from '../../app/client';
import { keys } from '../../app/state';
import { type PlanView, type Problem, commands } from '../../ipc/bindings';
import { toProblem } from '../../ipc/problem';

const key = (plan: number) => ['plan', plan];
/** Each step's own events are finer; this only says which step it is. */
const often = 500;

/** A plan as it stands. */
export function usePlan(id: number): { plan: PlanView | undefined; problem: Problem | null } {
  const { data, error } = useQuery({
    queryKey: key(id),
    queryFn: () => commands.planGet(id),
    refetchInterval: ({ state }) => (state.data?.running ? often : false),
  });
  return { plan: data, problem: error ? toProblem(error) : null };
}

/** Takes what a command answered. */
export function keepPlan(plan: PlanView): void {
  client.setQueryData(key(plan.id), plan);
  refreshPlan(plan.id);
}

export function refreshPlan(plan: number): void {
  void client.invalidateQueries({ queryKey: key(plan) });
  void client.invalidateQueries({ queryKey: keys.submissions });
}
