import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';

import { useSite } from '@/base/appState';
import { queryKeys } from '@/base/queryKeys';
import { type TableViews, commands } from '@/ipc/bindings';

/** Debounce for saving the view, in milliseconds. */
const SAVE_DELAY = 400;

type StoredViews = { views: TableViews | undefined; store: (change: (now: TableViews) => TableViews) => void };

/**
 * Loads and saves an operation's last view and named views at this site. With `isFromLink`, the stored filters don't apply at
 * first. A team shares the named views, so they are refetched regularly and only changed ones are saved.
 */
export function useTableViews(operation: string, isFromLink: boolean): StoredViews {
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
  const [isUnfiltered, setUnfiltered] = useState(isFromLink);
  const latestUnfiltered = useRef(isFromLink);
  const pendingSave = useRef<{ timer: number; save: () => void } | null>(null);
  /** The named views before unsaved changes, null if all are saved. */
  const unsaved = useRef<TableViews['named'] | null>(null);
  const store = useCallback(
    (change: (now: TableViews) => TableViews) => {
      const views = client.getQueryData<TableViews>(queryKeys.tableViews(site, operation)) ?? NO_VIEWS;
      const next = change(latestUnfiltered.current ? withoutFilters(views) : views);
      latestUnfiltered.current = false;
      setUnfiltered(false);
      const known = unsaved.current ?? views.named;
      unsaved.current = known;
      client.setQueryData(queryKeys.tableViews(site, operation), next);
      if (pendingSave.current) clearTimeout(pendingSave.current.timer);
      // If saving fails, the view lasts until the window is closed.
      const save = () => {
        unsaved.current = null;
        void commands.browseViewsSave(operation, next, known).catch(() => undefined);
      };
      pendingSave.current = { save, timer: window.setTimeout(() => ((pendingSave.current = null), save()), SAVE_DELAY) };
    },
    [client, site, operation],
  );
  useEffect(
    () => () => {
      if (!pendingSave.current) return;
      clearTimeout(pendingSave.current.timer);
      pendingSave.current.save();
    },
    [],
  );
  const views = useMemo(() => (data && isUnfiltered ? withoutFilters(data) : data), [data, isUnfiltered]);
  return { views: isError && !data ? NO_VIEWS : views, store };
}

function withoutFilters(views: TableViews): TableViews {
  return { ...views, last: views.last && { ...views.last, filters: [] } };
}

const NO_VIEWS: TableViews = { last: null, named: [], chosen: null };
