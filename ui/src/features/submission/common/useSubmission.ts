import { useMutation, useQuery } from '@tanstack/react-query';

import { guarded } from '@/base/guard';
import { queryClient } from '@/base/queryClient';
import { queryKeys } from '@/base/queryKeys';
import { type Decision, type PlanView, type Problem, type RowId, type SubmissionView, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { isHeld } from './approval';
import { resumeSkippingClaimed } from './resume';
import { refreshPlan, storePlan } from './usePlan';

/** A submission as it stands; the engine's events keep it fresh. */
export function useSubmission(id: number): { submission: SubmissionView | undefined; problem: Problem | null } {
  const { data, error } = useQuery({
    queryKey: queryKeys.submission(id),
    queryFn: () => commands.submissionGet(id),
    // An answer that an event overtook fixes itself.
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? slowly : false),
  });
  return { submission: data, problem: error ? toProblem(error) : null };
}

/** Takes what a command answered; an event may have overtaken it, so it is asked for once more. */
export function storeSubmission(view: SubmissionView): void {
  queryClient.setQueryData(queryKeys.submission(view.id), view);
  void queryClient.invalidateQueries({ queryKey: queryKeys.submission(view.id) });
  refreshPlan(view.plan);
}

const slowly = 2000;

type Steering = {
  pause: () => void;
  stop: () => void;
  /** With all steps of the plan. */
  goOn: () => void;
  /** Without the rows that colleagues are sending. */
  goOnSkippingClaimed: () => void;
  /** What waits for others isn't sent. */
  skipWaiting: () => void;
  /** All unconfirmed rows; `skipClaimed`: those that colleagues are sending are skipped. */
  sendUnconfirmed: (skipClaimed: boolean, done: () => void) => void;
  /** Reads back what is unconfirmed. */
  findOut: () => void;
  /** About these unconfirmed rows; without any, about all. */
  decide: (rows: RowId[], decision: Decision, skipClaimed: boolean, done: () => void) => void;
  busy: boolean;
  problem: Problem | null;
};

/** What only stops something leaves the second one out. */
type Steer = (submission: number, confirmed: string | null) => Promise<SubmissionView | PlanView>;

/** Pause, stop, go on, and sending again what is unconfirmed. */
export function useSteering(id: number): Steering {
  const { mutate, isPending, error } = useMutation({
    mutationFn: (command: Steer) => guarded((confirmed) => command(id, confirmed)),
    onSuccess: (made) => {
      if ('submissions' in made) storePlan(made);
      else storeSubmission(made);
      void queryClient.invalidateQueries({ queryKey: queryKeys.app });
    },
  });
  return {
    pause: () => mutate(commands.submissionPause),
    stop: () => mutate(commands.submissionStop),
    goOn: () => mutate(commands.submissionResume),
    goOnSkippingClaimed: () => mutate(resumeSkippingClaimed),
    skipWaiting: () => mutate(commands.submissionSkipWaiting),
    sendUnconfirmed: (skipClaimed, done) =>
      mutate((one, confirmed) => commands.submissionSendUnconfirmed(one, confirmed, skipClaimed), { onSuccess: done }),
    findOut: () => mutate(commands.submissionFindOut),
    decide: (rows, decision, skipClaimed, done) =>
      mutate((one, confirmed) => commands.submissionDecide(one, rows, decision, confirmed, skipClaimed), { onSuccess: done }),
    busy: isPending,
    problem: error ? toProblem(error) : null,
  };
}

export function canGoOn(submission: SubmissionView): boolean {
  return submission.state !== 'running' && submission.state !== 'finished' && submission.counts.pending > 0 && !isHeld(submission);
}
