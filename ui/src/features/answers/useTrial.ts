import { useCallback, useEffect, useState } from 'react';

import { showProblemNotice } from '@/components/notices/problemNotice';
import { type Rules, type Trial, type TrialProgress, commands } from '@/ipc/bindings';
import { createChannel } from '@/ipc/channel';
import { nextTicket } from '@/ipc/tickets';
import type { Draft } from './useRules';

type Running = { ticket: number; progress: TrialProgress | null };
/** The result of a trial, and the rules that were tried. */
type Done = { trial: Trial; rules: Rules };

type TrialState = {
  done: Done | null;
  running: Running | null;
  start: (others: boolean) => void;
  stop: () => void;
};

/** Tries the edited rules on past events. */
export function useTrial({ rules, recheck }: Draft): TrialState {
  const [done, setDone] = useState<Done | null>(null);
  const [running, setRunning] = useState<Running | null>(null);
  const ticket = running?.ticket;
  const start = useCallback(
    (others: boolean) => {
      const own = nextTicket();
      setRunning({ ticket: own, progress: null });
      const channel = createChannel<TrialProgress>((progress) => setRunning((now) => now && { ...now, progress }));
      commands
        .rulesTry(rules, others, own, channel)
        .then((trial) => setDone({ trial, rules }))
        .then(recheck)
        .catch(showProblemNotice)
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
