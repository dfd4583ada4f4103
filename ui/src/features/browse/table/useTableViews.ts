import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';

import { useSite } from '@/base/appState';
import { queryKeys } from '@/base/queryKeys';
import { type TableViews, commands } from '@/ipc/bindings';

/** While columns are dragged, the table's look is kept only once it rests. */
const resting = 400;

type StoredViews = { views: TableViews | undefined; store: (change: (now: TableViews) => TableViews) => void };

/**
 * How the table of an operation was left at this site, and its views by name. `fresh` begins without the filters that it had.
 * In a team views by name are everybody's: they're read again with each look, and only those that were changed here are saved.
 */
export function useTableViews(operation: string, fresh: boolean): StoredViews {
  const client = useQueryClient();
  const site = useSite()?.site.name ?? '';
  const { data, isError } = useQuery({
    queryKey: queryKeys.tableViews(site, operation),
    queryFn: async () => {
      const [key, read] = [queryKeys.tableViews(site, operation), await commands.browseViews(operation)];
      const now = client.getQueryData<TableViews>(key);
      // How the table looks is this window's own, and what was saved here isn't everywhere yet.
      return now ? { ...now, named: unsaved.current ? now.named : read.named } : read;
    },
    staleTime: Infinity,
    refetchOnMount: 'always',
    retry: false,
  });
  const [left, setLeft] = useState(fresh);
  const leaving = useRef(fresh);
  const waiting = useRef<{ timer: number; save: () => void } | null>(null);
  /** The views by name as they were before those that wait to be saved. */
  const unsaved = useRef<TableViews['named'] | null>(null);
  const keep = useCallback(
    (change: (now: TableViews) => TableViews) => {
      const views = client.getQueryData<TableViews>(queryKeys.tableViews(site, operation)) ?? nothing;
      const next = change(leaving.current ? unfiltered(views) : views);
      leaving.current = false;
      setLeft(false);
      const known = unsaved.current ?? views.named;
      unsaved.current = known;
      client.setQueryData(queryKeys.tableViews(site, operation), next);
      if (waiting.current) clearTimeout(waiting.current.timer);
      // A look that can't be kept holds until the window is closed.
      const save = () => {
        unsaved.current = null;
        void commands.browseViewsSave(operation, next, known).catch(() => undefined);
      };
      waiting.current = { save, timer: window.setTimeout(() => ((waiting.current = null), save()), resting) };
    },
    [client, site, operation],
  );
  useEffect(
    () => () => {
      if (!waiting.current) return;
      clearTimeout(waiting.current.timer);
      waiting.current.save();
    },
    [],
  );
  const views = useMemo(() => (data && left ? unfiltered(data) : data), [data, left]);
  return { views: isError && !data ? nothing : views, store: keep };
}

function unfiltered(views: TableViews): TableViews {
  return { ...views, last: views.last && { ...views.last, filters: [] } };
}

const nothing: TableViews = { last: null, named: [], chosen: null };
