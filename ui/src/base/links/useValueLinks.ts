import { useMemo } from 'react';

import type { Operation } from '@/ipc/bindings';
import { useOperations } from '../appState';
import type { Place } from '../navigation';
import { useOrderLists } from './useOrderLists';
import { linksOf } from './valueLinks';

/** Link targets of values, by the field's name in a list. */
export type ValueLinks = ReadonlyMap<string, (value: string) => Place>;

/** Returns links for a list's fields whose values name an item with a page or list. */
export function useColumnLinks(operation: Operation): ValueLinks {
  const orders = useOrderLists().fields[operation.id];
  const operations = useOperations();
  return useMemo(() => {
    const places = new Map<string, (value: string) => Place>();
    for (const { id, kind, parameters } of operations) {
      // If a read has one required parameter and takes it in the path, fields with that parameter's name link to the read.
      const [single, more] = parameters.filter(({ required }) => required);
      if (kind !== 'read' || id === operation.id || single?.in !== 'path' || more) continue;
      places.set(single.name, (value) => ({ page: 'browse', operation: id, parameters: { [single.name]: value } }));
    }
    if (orders) places.set(orders, (code) => ({ page: 'order', code }));
    return places;
  }, [operation, operations, orders]);
}

/** Returns links for the detail of a row, by the field's path, including fields of nested lists. */
export function useRowLinks(operation: Operation): ValueLinks {
  const places = useColumnLinks(operation);
  const orders = useOrderLists();
  const operations = useOperations();
  return useMemo(() => new Map([...linksOf(operation, operations, orders), ...places]), [operation, operations, orders, places]);
}
