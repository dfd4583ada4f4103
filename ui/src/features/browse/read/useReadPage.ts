import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { startTransition, useCallback, useEffect, useMemo, useRef, useState } from 'react';

import { useSite } from '@/base/appState';
import { queryKeys } from '@/base/queryKeys';
import { type Row, toRows } from '@/base/values/cells';
import { type BrowseProgress, type BrowseQuery, type Operation, type Problem, type StoredPage, commands } from '@/ipc/bindings';
import { createChannel } from '@/ipc/channel';
import { toProblem } from '@/ipc/problem';
import { nextTicket } from '@/ipc/tickets';
import { createPagePrefetcher } from './pagePrefetcher';
import { type Parameters, isComplete } from './parameters';

export type { Parameters } from './parameters';

/** The selectable page sizes. The last is the service's maximum. */
export const PAGE_SIZES = [25, 50, 100] as const;

/** Time in which several page turns cause only one request, for the last page. In milliseconds. */
export const QUICK_TURN_DELAY = 300;

export type PageReading = {
  parameters: Parameters;
  /** Whether the operation's last filters are loaded. */
  isReady: boolean;
  /** Whether rows are requested, which needs the loaded filters and all required parameters. */
  isRequested: boolean;
  /** Whether all required parameters are filled in. */
  hasRequired: boolean;
  /** The ID of the set that contains these rows, null if there are none. */
  set: number | null;
  rows: Row[];
  count: number;
  unknown: string[];
  page: number;
  pages: number | null;
  total: number | null;
  /** Rows per page. */
  limit: number;
  busy: boolean;
  /** The time until which requests wait for the rate limit. */
  waitingUntil: string | null;
  problem: Problem | null;
  read: (parameters: Parameters) => void;
  goToPage: (page: number) => void;
  /** Prefetches a page that is likely to be opened. */
  prefetch: (page: number) => void;
  /** Cancels the prefetch. */
  cancelPrefetch: () => void;
  setPageSize: (limit: number) => void;
  /** Whether the rows were last shown as a chart, null until that is loaded. */
  chart: boolean | null;
  /** Stores whether the rows are shown as a chart. */
  storeChart: (chart: boolean) => void;
  refetch: () => void;
};

/** `round` counts reads, so that an equal request is sent again. `ready` is a prefetched page, which is shown at once. */
type PageRequest = { parameters: Parameters; page: number; limit: number; round: number; ready?: StoredPage };

function saveFilters(operation: string, { parameters, limit }: Pick<PageRequest, 'parameters' | 'limit'>, chart: boolean): void {
  void commands.readFiltersSave(operation, { parameters, limit, chart }).catch(() => undefined);
}

/** Reads one page, unless the signal cancels the request. `onWait` is called when the request waits for the rate limit. */
async function requestPage(
  query: BrowseQuery,
  { page, limit }: { page: number; limit: number },
  signal: AbortSignal,
  onWait: (until: string | null) => void,
): Promise<StoredPage> {
  const ticket = nextTicket();
  const stop = () => void commands.ticketStop(ticket).catch(() => undefined);
  const channel = createChannel<BrowseProgress>(({ waitingUntil }) => {
    if (!signal.aborted) onWait(waitingUntil);
  });
  signal.throwIfAborted();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await commands.browsePage(query, page, limit, ticket, channel);
  } finally {
    signal.removeEventListener('abort', stop);
    if (!signal.aborted) onWait(null);
  }
}

/** Reads one page of an operation's rows, with the given or the last used filters. */
export function useReadPage(operation: Operation, initialParameters?: Parameters): PageReading {
  const site = useSite()?.site.name;
  const storedFilters = useQuery({ queryKey: queryKeys.listFilters(site, operation.id), queryFn: () => commands.readFilters(operation.id), gcTime: 0, staleTime: Infinity });
  const isLoaded = !storedFilters.isPending;
  const [chosen, setChosen] = useState<boolean | null>(null);
  const isChart = chosen ?? storedFilters.data?.chart ?? false;
  const [request, setRequest] = useState<PageRequest | null>(null);
  const now = useMemo<PageRequest>(
    () => request ?? { parameters: initialParameters ?? storedFilters.data?.parameters ?? NO_PARAMETERS, page: 1, limit: storedFilters.data?.limit ?? PAGE_SIZES[2], round: 0 },
    [request, initialParameters, storedFilters.data],
  );
  const { parameters, page, limit, round } = now;
  const hasRequired = isLoaded && isComplete(operation, parameters);
  const [waitingUntil, setWaitingUntil] = useState<string | null>(null);
  const lastTurn = useRef({ at: 0, quick: false });
  const sendRequest = useCallback(
    (next: PageRequest, signal: AbortSignal) =>
      requestPage({ operation: operation.id, parameters: next.parameters }, { page: next.page, limit: next.limit }, signal, setWaitingUntil),
    [operation.id],
  );
  const prefetcher = useMemo(() => createPagePrefetcher<PageRequest>((next) => (signal) => sendRequest(next, signal), isSamePage), [sendRequest]);
  useEffect(() => prefetcher.cancel, [prefetcher]);
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey: queryKeys.listPage(operation.id, parameters, page, limit, round),
    queryFn: async ({ signal }) => {
      const prefetched = prefetcher.takeRequest(now, signal);
      if (!prefetched && lastTurn.current.quick) await waitForNextTurn(signal);
      return { ...(await (prefetched ?? sendRequest(now, signal))), round };
    },
    enabled: hasRequired,
    initialData: now.ready ? { ...now.ready, round } : undefined,
    placeholderData: keepPreviousData,
    // Pages aren't cached, so returning to a page reads it again.
    gcTime: 0,
    staleTime: Infinity,
  });
  // Until a page arrives, only the counts of the previous page are shown, and only if the filters are the same.
  const currentData = data?.round === round ? data : undefined;
  const rows = useMemo(() => toRows(data?.rows ?? []), [data]);
  const isCurrent = currentData && !error && !isPlaceholderData;

  const change = useCallback(
    (next: PageRequest) => {
      setRequest(next);
      saveFilters(operation.id, next, isChart);
    },
    [operation.id, isChart],
  );
  const read = useCallback((next: Parameters) => change({ parameters: next, page: 1, limit, round: round + 1 }), [change, limit, round]);
  const goToPage = useCallback(
    (to: number) => {
      const at = Date.now();
      lastTurn.current = { at, quick: at - lastTurn.current.at < QUICK_TURN_DELAY };
      const next = { parameters, page: to, limit, round };
      // The request is sent before rendering, which may take longer than the request.
      if (lastTurn.current.quick) return setRequest(next);
      const ready = prefetcher.takePage(next);
      if (ready) return setRequest({ ...next, ready });
      prefetcher.prefetch(next);
      startTransition(() => setRequest(next));
    },
    [parameters, limit, round, prefetcher],
  );
  const prefetch = useCallback(
    (to: number) => {
      if (Date.now() - lastTurn.current.at >= QUICK_TURN_DELAY) prefetcher.prefetch({ parameters, page: to, limit, round });
    },
    [parameters, limit, round, prefetcher],
  );
  const setPageSize = useCallback(
    // The first visible row stays on the new page.
    (size: number) => change({ parameters, page: Math.floor(((page - 1) * limit) / size) + 1, limit: size, round }),
    [change, parameters, page, limit, round],
  );
  const typed = request?.parameters;
  const storeChart = useCallback(
    (chart: boolean) => {
      setChosen(chart);
      // Filters from a link aren't stored as the last used ones.
      saveFilters(operation.id, { parameters: typed ?? storedFilters.data?.parameters ?? NO_PARAMETERS, limit }, chart);
    },
    [operation.id, typed, storedFilters.data, limit],
  );
  return {
    chart: isLoaded ? isChart : null,
    storeChart,
    parameters,
    isReady: isLoaded,
    isRequested: hasRequired,
    hasRequired,
    set: isCurrent && rows.length > 0 ? currentData.set : null,
    rows: isCurrent ? rows : NO_ROWS,
    count: isCurrent ? currentData.count : 0,
    unknown: data?.unknown ?? NO_NAMES,
    page,
    pages: currentData?.pages ?? null,
    total: currentData?.total ?? null,
    limit,
    busy: isFetching || !isLoaded,
    waitingUntil: isFetching ? waitingUntil : null,
    problem: error ? toProblem(error) : null,
    read,
    goToPage,
    prefetch,
    cancelPrefetch: prefetcher.cancel,
    setPageSize,
    refetch: () => void refetch(),
  };
}

function isSamePage(one: PageRequest, other: PageRequest): boolean {
  return one.parameters === other.parameters && one.page === other.page && one.limit === other.limit && one.round === other.round;
}

/** Waits a short time, in which a further page turn cancels this request. */
async function waitForNextTurn(signal: AbortSignal): Promise<void> {
  await new Promise((go) => setTimeout(go, QUICK_TURN_DELAY / 2));
  signal.throwIfAborted();
}

const NO_PARAMETERS: Parameters = {};
const NO_ROWS: Row[] = [];
const NO_NAMES: string[] = [];
