import { useCallback, useEffect, useState } from 'react';

import { type Problem, type RehearsalProgress, type RehearsalView, commands } from '@/ipc/bindings';
import { createChannel } from '@/ipc/channel';
import { toProblem } from '@/ipc/problem';
import { nextTicket } from '@/ipc/tickets';

type Running = { ticket: number; progress: RehearsalProgress | null };

type Rehearsing = {
  running: Running | null;
  done: RehearsalView | null;
  problem: Problem | null;
  start: (masked: boolean) => void;
  stop: () => void;
};

/** Copies a site; what is stopped leaves no copy. */
export function useRehearsal(site: string): Rehearsing {
  const [running, setRunning] = useState<Running | null>(null);
  const [done, setDone] = useState<RehearsalView | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const ticket = running?.ticket;
  const start = useCallback(
    (masked: boolean) => {
      const own = nextTicket();
      setProblem(null);
      setRunning({ ticket: own, progress: null });
      const channel = createChannel<RehearsalProgress>((progress) => setRunning((now) => now && { ...now, progress }));
      commands
        .rehearsalStart(site, masked, own, channel)
        .then(setDone)
        .catch((cause: unknown) => setProblem(toProblem(cause)))
        .finally(() => setRunning(null));
    },
    [site],
  );
  const stop = useCallback(() => {
    if (ticket !== undefined) void commands.ticketStop(ticket).catch(() => undefined);
  }, [ticket]);
  useEffect(() => stop, [stop]);
  return { running, done, problem, start, stop };
}
