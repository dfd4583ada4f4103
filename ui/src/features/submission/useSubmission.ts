import { useMutation, useQuery } from '@tanstack/react-query';

import { client } from '../../app/client';
import { keys } from '../../app/state';
import { type Problem, type SubmissionView, commands } from '../../ipc/bindings';
import { toProblem } from '../../ipc/problem';

/** A submission as it stands; the engine's events keep it fresh. */
export function useSubmission(id: number): { submission: SubmissionView | undefined; problem: Problem | null } {
  const { data, error } = useQuery({ queryKey: keys.submission(id), queryFn: () => commands.submissionGet(id) });
  return { submission: data, problem: error ? toProblem(error) : null };
}

type Steering = {
  pause: () => void;
  stop: () => void;
  goOn: () => void;
  sendDoubtful: () => void;
  busy: boolean;
  problem: Problem | null;
};

/** Pause, stop, go on, and sending again what is in doubt. */
export function useSteering(id: number): Steering {
  const { mutate, isPending, error } = useMutation({
    mutationFn: (command: (submission: number) => Promise<SubmissionView>) => command(id),
    onSuccess: (view) => {
      client.setQueryData(keys.submission(view.id), view);
      void client.invalidateQueries({ queryKey: keys.app });
      void client.invalidateQueries({ queryKey: keys.submissions });
    },
  });
  return {
    pause: () => mutate(commands.submissionPause),
    stop: () => mutate(commands.submissionStop),
    goOn: () => mutate(commands.submissionResume),
    sendDoubtful: () => mutate(commands.submissionSendDoubtful),
    busy: isPending,
    problem: error ? toProblem(error) : null,
  };
}

export function canGoOn(submission: SubmissionView): boolean {
  return submission.state !== 'running' && submission.state !== 'finished' && submission.counts.pending > 0;
}
