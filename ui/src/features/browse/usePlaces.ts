import { useMemo } from 'react';

import type { Place } from '../../app/navigation';
import { useOperations } from '../../app/state';
import type { Operation } from '../../ipc/bindings';
import { useOrderLists } from '../order/useOrder';
import { leadsOf } from './named';

/** By the field's name in a list: where a value of it leads. */
export type Places = ReadonlyMap<string, (value: string) => Place>;

/** Which fields of a list's rows name something that has a page or a list of its own, as the contract has it. */
export function usePlaces(operation: Operation): Places {
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
export function useLeads(operation: Operation): Places {
  const places = usePlaces(operation);
  const orders = useOrderLists();
  const operations = useOperations();
  return useMemo(() => new Map([...leadsOf(operation, operations, orders), ...places]), [operation, operations, orders, places]);
}
