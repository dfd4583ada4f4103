import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';

import { useSite } from '@/base/appState';
import { queryKeys } from '@/base/queryKeys';
import { type TableViews, commands } from '@/ipc/bindings';

/** Debounce for saving the view, in milliseconds. */
const SAVE_DELAY = 400;

type StoredViews = { views: TableViews | undefined; store: (change: (now: TableViews) => TableViews) => void };

/**
 * Loads and saves an operation's last view and named views at this site. With `fresh`, the stored filters don't apply at first. A
 * team shares the named views, so they are refetched regularly and only changed ones are saved.
 */
export function useTableViews(operation: string, fresh: boolean): StoredViews {
  const client = useQueryClient();
  const site = useSite()?.site.name ?? '';
  const { data, isError } = useQuery({
    queryKey: queryKeys.tableViews(site, operation),
    queryFn: async () => {
      const [key, read] = [queryKeys.tableViews(site, operation), await commands.browseViews(operation)];
      const now = client.getQueryData<TableViews>(key);
      // The last view is local to this window, and unsaved named views aren't in the response yet.
      return now ? { ...now, named: unsaved.current ? now.named : read.named } : read;
    },
    staleTime: Infinity,
    refetchOnMount: 'always',
    retry: false,
  });
  const [left, setLeft] = useState(fresh);
  const leaving = useRef(fresh);
  const waiting = useRef<{ timer: number; save: () => void } | null>(null);
  /** The named views before unsaved changes, null if all are saved. */
  const unsaved = useRef<TableViews['named'] | null>(null);
  const keep = useCallback(
    (change: (now: TableViews) => TableViews) => {
      const views = client.getQueryData<TableViews>(queryKeys.tableViews(site, operation)) ?? NO_VIEWS;
      const next = change(leaving.current ? unfiltered(views) : views);
      leaving.current = false;
      setLeft(false);
      const known = unsaved.current ?? views.named;
      unsaved.current = known;
      client.setQueryData(queryKeys.tableViews(site, operation), next);
      if (waiting.current) clearTimeout(waiting.current.timer);
      // If saving fails, the view lasts until the window is closed.
      const save = () => {
        unsaved.current = null;
        void commands.browseViewsSave(operation, next, known).catch(() => undefined);
      };
      waiting.current = { save, timer: window.setTimeout(() => ((waiting.current = null), save()), SAVE_DELAY) };
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
  return { views: isError && !data ? NO_VIEWS : views, store: keep };
}

function unfiltered(views: TableViews): TableViews {
  return { ...views, last: views.last && { ...views.last, filters: [] } };
}

const NO_VIEWS: TableViews = { last: null, named: [], chosen: null };
