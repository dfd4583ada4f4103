import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';

import { queryKeys } from '@/base/queryKeys';
import { type Destination, type EventQuery, type Problem, type ReplayResult, commands } from '@/ipc/bindings';
import { createChannel } from '@/ipc/channel';
import { toProblem } from '@/ipc/problem';
import { nextTicket } from '@/ipc/tickets';

/** The progress of a replay. */
export type ReplayState = { running: boolean; done: number; taken: number; refused: ReplayResult[]; problem: Problem | null };

/** Maximum number of failed events shown. */
const MAX_RESULTS = 200;
const INITIAL_STATE: ReplayState = { running: true, done: 0, taken: 0, refused: [], problem: null };

/** Returns the plan of a replay, debounced while typing. */
export function useReplayPlan(query: EventQuery, to: Destination | null) {
  const [settled] = useDebouncedValue(to, 250);
  return useQuery({
    queryKey: queryKeys.replayPlan(query, settled),
    queryFn: () => (settled === null ? Promise.reject(new Error('nowhere')) : commands.replayPlan(query, settled)),
    enabled: settled !== null,
    gcTime: 0,
    retry: false,
  });
}

/** Starts and stops a replay, and tracks its results. */
export function useReplay() {
  const [state, setState] = useState<ReplayState | null>(null);
  const ticket = useRef<number | null>(null);
  const send = (query: EventQuery, to: Destination, perSecond: number) => {
    ticket.current = nextTicket();
    setState(INITIAL_STATE);
    const channel = createChannel<ReplayResult>((one) => setState((before) => addResult(before ?? INITIAL_STATE, one)));
    commands
      .replaySend(query, to, perSecond, ticket.current, channel)
      .then(
        () => null,
        (cause: unknown) => toProblem(cause),
      )
      .then((problem) => {
        ticket.current = null;
        setState((before) => ({ ...(before ?? INITIAL_STATE), running: false, problem }));
      });
  };
  const stop = () => {
    if (ticket.current !== null) void commands.ticketStop(ticket.current);
  };
  return { state, send, stop };
}

function addResult(before: ReplayState, one: ReplayResult): ReplayState {
  const taken = one.status !== null && one.status >= 200 && one.status < 300;
  return {
    ...before,
    done: before.done + 1,
    taken: before.taken + (taken ? 1 : 0),
    refused: taken || before.refused.length >= MAX_RESULTS ? before.refused : [...before.refused, one],
  };
}
