import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';

import { useSite } from '../../app/state';
import { type TableViews, commands } from '../../ipc/bindings';

/** While columns are dragged, the table's look is kept only once it rests. */
const resting = 400;

type Kept = { views: TableViews | undefined; keep: (change: (now: TableViews) => TableViews) => void };

/** How the table of an operation was left at this site, and its views by name. */
export function useTableViews(operation: string): Kept {
  const client = useQueryClient();
  const site = useSite()?.site.name ?? '';
  const { data, isError } = useQuery({
    queryKey: ['table', site, operation],
    queryFn: () => commands.browseViews(operation),
    staleTime: Infinity,
    retry: false,
  });
  const waiting = useRef<{ timer: number; save: () => void } | null>(null);
  const keep = useCallback(
    (change: (now: TableViews) => TableViews) => {
      const next = change(client.getQueryData<TableViews>(['table', site, operation]) ?? nothing);
      client.setQueryData(['table', site, operation], next);
      if (waiting.current) clearTimeout(waiting.current.timer);
      // A look that can't be kept holds until the window is closed.
      const save = () => void commands.browseKeepViews(operation, next).catch(() => undefined);
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
  return { views: isError ? nothing : data, keep };
}

const nothing: TableViews = { last: null, named: [], chosen: null };
