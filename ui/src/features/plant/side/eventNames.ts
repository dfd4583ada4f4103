import { useQuery } from '@tanstack/react-query';

import { queryKeys } from '@/base/queryKeys';
import { type Names, type Value, commands } from '@/ipc/bindings';

/** An event kind of the contract. */
export type EventName = { id: number; names: Names };

const NO_EVENTS: EventName[] = [];

/** Returns the contract's event kinds, ordered by ID. */
export function useEventNames(): EventName[] {
  const { data } = useQuery({
    queryKey: queryKeys.contract,
    queryFn: () => commands.contractDocument(),
    staleTime: Infinity,
    select: eventNames,
  });
  return data ?? NO_EVENTS;
}

export function eventNames(document: Value): EventName[] {
  const entries = Object.values(objectMembers(objectMembers(document).webhooks)).flatMap((hook) => {
    const post = objectMembers(objectMembers(hook).post);
    const id = post['x-takt-event-id'];
    const names = objectMembers(post['x-takt-names']);
    const { en, de, es, pt } = names;
    if (typeof id !== 'number' || typeof en !== 'string') return [];
    const textOf = (name: Value | undefined) => (typeof name === 'string' ? name : en);
    return [{ id, names: { en, de: textOf(de), es: textOf(es), pt: textOf(pt) } }];
  });
  return entries.toSorted((one, other) => one.id - other.id);
}

function objectMembers(value: Value | undefined): Record<string, Value | undefined> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}
