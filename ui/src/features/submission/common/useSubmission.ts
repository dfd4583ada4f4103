import { useMutation, useQuery } from '@tanstack/react-query';

import { runGuarded } from '@/base/guard';
import { queryClient } from '@/base/queryClient';
import { queryKeys } from '@/base/queryKeys';
import { type Decision, type PlanView, type Problem, type RowId, type SubmissionView, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { isBlocked } from './approval';
import { refreshPlan, storePlan } from './usePlan';

/** Returns the state of a submission, and keeps it up to date. */
export function useSubmission(id: number): { submission: SubmissionView | undefined; problem: Problem | null } {
  const { data, error } = useQuery({
    queryKey: queryKeys.submission(id),
    queryFn: () => commands.submissionGet(id),
    // Polling corrects a response that arrives after a newer event.
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? POLL_INTERVAL : false),
  });
  return { submission: data, problem: error ? toProblem(error) : null };
}

/** Caches a command's response. Refetches the submission too, because the response may be older than the last event. */
export function storeSubmission(view: SubmissionView): void {
  queryClient.setQueryData(queryKeys.submission(view.id), view);
  void queryClient.invalidateQueries({ queryKey: queryKeys.submission(view.id) });
  refreshPlan(view.plan);
}

const POLL_INTERVAL = 2000;

type SubmissionControls = {
  pause: () => void;
  stop: () => void;
  /** Resumes all steps of the plan. With `skipClaimed`, rows that colleagues are sending are skipped. */
  resume: (skipClaimed: boolean) => void;
  /** Skips the rows that wait for other rows. */
  skipWaiting: () => void;
  /** Sends all unconfirmed rows again. With `skipClaimed`, rows that colleagues are sending are skipped. */
  sendUnconfirmed: (skipClaimed: boolean, done: () => void) => void;
  /** Starts reading back the unconfirmed rows. */
  readBack: (started: () => void) => void;
  /** Applies a decision to these unconfirmed rows, or to all of them if `rows` is empty. */
  decide: (rows: RowId[], decision: Decision, skipClaimed: boolean, done: () => void) => void;
  busy: boolean;
  problem: Problem | null;
};

/** A command for a submission. Pausing and stopping need no confirmation. */
type ControlCommand = (submission: number, confirmed: string | null) => Promise<SubmissionView | PlanView>;

/** Returns commands that control a submission. A production site may require confirmation. */
export function useSubmissionControls(id: number): SubmissionControls {
  const { mutate, isPending, error } = useMutation({
    mutationFn: (command: ControlCommand) => runGuarded((confirmed) => command(id, confirmed)),
    onSuccess: (made) => {
      if ('submissions' in made) storePlan(made);
      else storeSubmission(made);
      void queryClient.invalidateQueries({ queryKey: queryKeys.app });
    },
  });
  return {
    pause: () => mutate(commands.submissionPause),
    stop: () => mutate(commands.submissionStop),
    resume: (skipClaimed) => mutate((one, confirmed) => commands.submissionResume(one, confirmed, skipClaimed)),
    skipWaiting: () => mutate(commands.submissionSkipWaiting),
    sendUnconfirmed: (skipClaimed, done) =>
      mutate((one, confirmed) => commands.submissionSendUnconfirmed(one, confirmed, skipClaimed), { onSuccess: done }),
    readBack: (started) => mutate(commands.submissionReadBack, { onSuccess: started }),
    decide: (rows, decision, skipClaimed, done) =>
      mutate((one, confirmed) => commands.submissionDecide(one, rows, decision, confirmed, skipClaimed), { onSuccess: done }),
    busy: isPending,
    problem: error ? toProblem(error) : null,
  };
}

export function canResume(submission: SubmissionView): boolean {
  return submission.state !== 'running' && submission.state !== 'finished' && submission.counts.pending > 0 && !isBlocked(submission);
}
