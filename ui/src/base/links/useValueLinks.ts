import { useMemo } from 'react';

import type { Operation } from '@/ipc/bindings';
import { useOperations } from '../appState';
import type { Place } from '../navigation';
import { useOrderLists } from './useOrderLists';
import { linksOf } from './valueLinks';

/** By the field's name in a list: where a value of it leads. */
export type ValueLinks = ReadonlyMap<string, (value: string) => Place>;

/** Which fields of a list's rows name something that has a page or a list of its own, as the contract has it. */
export function useColumnLinks(operation: Operation): ValueLinks {
  const orders = useOrderLists().fields[operation.id];
  const operations = useOperations();
  return useMemo(() => {
    const places = new Map<string, (value: string) => Place>();
    for (const { id, kind, parameters } of operations) {
      // A read that takes one thing in its path: a field of that name names such a thing.
      const [only, more] = parameters.filter(({ required }) => required);
      if (kind !== 'read' || id === operation.id || only?.in !== 'path' || more) continue;
      places.set(only.name, (value) => ({ page: 'browse', operation: id, parameters: { [only.name]: value } }));
    }
    if (orders) places.set(orders, (code) => ({ page: 'order', code }));
    return places;
  }, [operation, operations, orders]);
}

/** The same for one row that is looked at as a whole: by a field's way through the row, also what names a thing in a list. */
export function useRowLinks(operation: Operation): ValueLinks {
  const places = useColumnLinks(operation);
  const orders = useOrderLists();
  const operations = useOperations();
  return useMemo(() => new Map([...linksOf(operation, operations, orders), ...places]), [operation, operations, orders, places]);
}
