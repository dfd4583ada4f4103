import { useCallback, useEffect, useState } from 'react';

import { tellProblem } from '../../../components/tellProblem';
import { type Rules, type Trial, type TrialProgress, commands } from '../../../ipc/bindings';
import { nextTicket } from '../../../ipc/tickets';
import { watching } from '../../../ipc/watching';
import type { Draft } from './useRules';

type Running = { ticket: number; progress: TrialProgress | null };
/** What came of a trial, and of which rules. */
type Done = { trial: Trial; rules: Rules };

export type Trying = {
  done: Done | null;
  running: Running | null;
  start: (others: boolean) => void;
  stop: () => void;
};

/** Tries the rules that are being written on what came. */
export function useTrial({ rules, recheck }: Draft): Trying {
  const [done, setDone] = useState<Done | null>(null);
  const [running, setRunning] = useState<Running | null>(null);
  const ticket = running?.ticket;
  const start = useCallback(
    (others: boolean) => {
      const own = nextTicket();
      setRunning({ ticket: own, progress: null });
      const told = watching<TrialProgress>((progress) => setRunning((now) => now && { ...now, progress }));
      commands
        .rulesTry(rules, others, own, told)
        .then((trial) => setDone({ trial, rules }))
        .then(recheck)
        .catch(tellProblem)
        .finally(() => setRunning(null));
    },
    [rules, recheck],
  );
  const stop = useCallback(() => {
    if (ticket !== undefined) void commands.ticketStop(ticket).catch(() => undefined);
  }, [ticket]);
  useEffect(() => stop, [stop]);
  return { done, running, start, stop };
}
