import { useDebouncedValue } from '@mantine/hooks';
import { useCallback, useMemo, useState } from 'react';

import type { Arrangement, Filter, TableView, TableViews } from '@/ipc/bindings';
import { EMPTY_VIEW } from './tableLayout';

/** A table's state: its view, search text and named views. */
export type Table = {
  view: TableView;
  find: string;
  /** Sorting, filters and search for the engine. */
  arrangement: Arrangement;
  named: TableViews['named'];
  chosen: string | null;
  /** The view that was chosen last, which the grid then applies. Null if none was chosen. */
  applied: { view: TableView } | null;
  change: (some: Partial<TableView>) => void;
  filter: (path: string, filter: Filter | null) => void;
  search: (text: string) => void;
  choose: (name: string | null) => void;
  saveAs: (name: string) => void;
  rename: (from: string, to: string) => void;
  remove: (name: string) => void;
};

type StoreViews = (change: (now: TableViews) => TableViews) => void;

export function useTable(views: TableViews, store: StoreViews, initialFind: string): Table {
  const [find, search] = useState(initialFind);
  const [applied, setApplied] = useState<Table['applied']>(null);
  const [debouncedFind] = useDebouncedValue(find.trim(), 250);
  const view = views.last ?? EMPTY_VIEW;
  const change = useCallback(
    (some: Partial<TableView>) => store((now) => ({ ...now, last: { ...(now.last ?? EMPTY_VIEW), ...some } })),
    [store],
  );
  const filter = useCallback(
    (path: string, next: Filter | null) =>
      store((now) => {
        const last = now.last ?? EMPTY_VIEW;
        const others = last.filters.filter((one) => one.path !== path);
        return { ...now, last: { ...last, filters: next ? [...others, next] : others } };
      }),
    [store],
  );
  const { named } = views;
  const choose = useCallback(
    (name: string | null) => {
      const next = named.find((one) => one.name === name)?.view ?? EMPTY_VIEW;
      store((now) => ({ ...now, chosen: name, last: next }));
      setApplied({ view: next });
    },
    [store, named],
  );
  const { sort, filters } = view;
  const arrangement = useMemo(() => ({ sort, filters, find: debouncedFind }), [sort, filters, debouncedFind]);
  const { chosen } = views;
  const byName = useMemo(() => namedViewActions(store), [store]);
  return useMemo(
    () => ({ view, find, arrangement, named, chosen, applied, change, filter, search, choose, ...byName }),
    [view, find, arrangement, named, chosen, applied, change, filter, choose, byName],
  );
}

function namedViewActions(store: StoreViews): Pick<Table, 'saveAs' | 'rename' | 'remove'> {
  return {
    saveAs: (name) =>
      store((now) => {
        const one = { name, view: now.last ?? EMPTY_VIEW };
        const others = now.named.filter((other) => other.name !== name);
        return { ...now, chosen: name, named: [...others, one].toSorted((a, b) => a.name.localeCompare(b.name)) };
      }),
    rename: (from, to) =>
      store((now) => ({
        ...now,
        chosen: now.chosen === from ? to : now.chosen,
        named: now.named.filter(({ name }) => name !== to || name === from).map(({ name, view }) => ({ name: name === from ? to : name, view })),
      })),
    remove: (name) =>
      store((now) => ({ ...now, chosen: now.chosen === name ? null : now.chosen, named: now.named.filter((one) => one.name !== name) })),
  };
}
