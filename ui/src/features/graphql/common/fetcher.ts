import type { Fetcher } from '@graphiql/toolkit';
import { Kind, parse } from 'graphql';

import { type StoredAnswer, type Problem, type TypedQuery, type Value, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { nextTicket } from '@/ipc/tickets';

/** What became of a tab's query. */
export type QueryOutcome = { answer: StoredAnswer | null; problem: Problem | null };

/** Where an answer goes: to the tab that asked, which is found out when it asks. */
type OutcomeReceiver = () => (outcome: QueryOutcome) => void;

type Observer = { next: (value: object) => void; complete: () => void };

/** Queries go through the engine, which has the token; what is stopped here is stopped there. */
export function engineFetcher(receiver: OutcomeReceiver): Fetcher {
  const ask = ({ query, variables, operationName }: Parameters<Fetcher>[0]) => ({
    subscribe: (observer: Observer) => {
      const report = receiver();
      const ticket = nextTicket();
      let subscribed = true;
      const end = (outcome: QueryOutcome) => {
        // The editor shows nothing of its own: the text comes from the engine, as it was laid out there.
        if (subscribed) observer.next({});
        report(outcome);
        if (subscribed) observer.complete();
      };
      const request = { query, variables: (variables ?? null) as Value | null, operationName: nameInQuery(query, operationName) };
      commands.graphqlRun(request, typed(query, variables), ticket).then(
        (answer) => end({ answer, problem: null }),
        (cause: unknown) => end({ answer: null, problem: toProblem(cause) }),
      );
      return {
        unsubscribe: () => {
          subscribed = false;
          void commands.ticketStop(ticket).catch(() => undefined);
        },
      };
    },
  });
  return ask as unknown as Fetcher;
}

function typed(query: string, variables: unknown): TypedQuery {
  return { query, variables: variables ? JSON.stringify(variables, null, 2) : '' };
}

/**
 * The editor notices a name a moment after it was typed. Where the keys are quicker, it still says the name of the text before:
 * such a name isn't sent.
 */
function nameInQuery(query: string, name: string | null | undefined): string | null {
  if (!name) return null;
  try {
    const { definitions } = parse(query, { noLocation: true });
    return definitions.some((one) => one.kind === Kind.OPERATION_DEFINITION && one.name?.value === name) ? name : null;
  } catch {
    // The engine says where a text can't be read.
    return null;
  }
}
