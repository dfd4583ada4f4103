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
  asked: boolean;
  /** Whether all required parameters are filled in. */
  complete: boolean;
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
  turn: (page: number) => void;
  /** Prefetches a page that is likely to be opened. */
  prepare: (page: number) => void;
  /** Cancels the prefetch. */
  unprepare: () => void;
  resize: (limit: number) => void;
  /** Whether the rows were last shown as a chart, null until that is loaded. */
  chart: boolean | null;
  /** Stores whether the rows are shown as a chart. */
  look: (chart: boolean) => void;
  again: () => void;
};

/** `round` counts reads, so that an equal request is sent again. `ready` is a prefetched page, which is shown at once. */
type PageRequest = { parameters: Parameters; page: number; limit: number; round: number; ready?: StoredPage };

function save(operation: string, { parameters, limit }: Pick<PageRequest, 'parameters' | 'limit'>, chart: boolean): void {
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
export function useReadPage(operation: Operation, given?: Parameters): PageReading {
  const site = useSite()?.site.name;
  const storedFilters = useQuery({ queryKey: queryKeys.listFilters(site, operation.id), queryFn: () => commands.readFilters(operation.id), gcTime: 0, staleTime: Infinity });
  const known = !storedFilters.isPending;
  const [chosen, setChosen] = useState<boolean | null>(null);
  const isChart = chosen ?? storedFilters.data?.chart ?? false;
  const [request, setRequest] = useState<PageRequest | null>(null);
  const now = useMemo<PageRequest>(
    () => request ?? { parameters: given ?? storedFilters.data?.parameters ?? NO_PARAMETERS, page: 1, limit: storedFilters.data?.limit ?? PAGE_SIZES[2], round: 0 },
    [request, given, storedFilters.data],
  );
  const { parameters, page, limit, round } = now;
  const complete = known && isComplete(operation, parameters);
  const [waitingUntil, setWaitingUntil] = useState<string | null>(null);
  const turned = useRef({ at: 0, quick: false });
  const ask = useCallback(
    (next: PageRequest, signal: AbortSignal) =>
      requestPage({ operation: operation.id, parameters: next.parameters }, { page: next.page, limit: next.limit }, signal, setWaitingUntil),
    [operation.id],
  );
  const ahead = useMemo(() => createPagePrefetcher<PageRequest>((next) => (signal) => ask(next, signal), isSamePage), [ask]);
  useEffect(() => ahead.end, [ahead]);
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey: queryKeys.listPage(operation.id, parameters, page, limit, round),
    queryFn: async ({ signal }) => {
      const begun = ahead.take(now, signal);
      if (!begun && turned.current.quick) await waitForNextTurn(signal);
      return { ...(await (begun ?? ask(now, signal))), round };
    },
    enabled: complete,
    initialData: now.ready ? { ...now.ready, round } : undefined,
    placeholderData: keepPreviousData,
    // Pages aren't cached, so returning to a page reads it again.
    gcTime: 0,
    staleTime: Infinity,
  });
  // Until a page arrives, only the counts of the previous page are shown, and only if the filters are the same.
  const news = data?.round === round ? data : undefined;
  const rows = useMemo(() => toRows(data?.rows ?? []), [data]);
  const here = news && !error && !isPlaceholderData;

  const change = useCallback(
    (next: PageRequest) => {
      setRequest(next);
      save(operation.id, next, isChart);
    },
    [operation.id, isChart],
  );
  const read = useCallback((next: Parameters) => change({ parameters: next, page: 1, limit, round: round + 1 }), [change, limit, round]);
  const turn = useCallback(
    (to: number) => {
      const at = Date.now();
      turned.current = { at, quick: at - turned.current.at < QUICK_TURN_DELAY };
      const next = { parameters, page: to, limit, round };
      // The request is sent before rendering, which may take longer than the request.
      if (turned.current.quick) return setRequest(next);
      const ready = ahead.takeReady(next);
      if (ready) return setRequest({ ...next, ready });
      ahead.begin(next);
      startTransition(() => setRequest(next));
    },
    [parameters, limit, round, ahead],
  );
  const prepare = useCallback(
    (to: number) => {
      if (Date.now() - turned.current.at >= QUICK_TURN_DELAY) ahead.begin({ parameters, page: to, limit, round });
    },
    [parameters, limit, round, ahead],
  );
  const resize = useCallback(
    // The first visible row stays on the new page.
    (size: number) => change({ parameters, page: Math.floor(((page - 1) * limit) / size) + 1, limit: size, round }),
    [change, parameters, page, limit, round],
  );
  const typed = request?.parameters;
  const look = useCallback(
    (chart: boolean) => {
      setChosen(chart);
      // Filters from a link aren't stored as the last used ones.
      save(operation.id, { parameters: typed ?? storedFilters.data?.parameters ?? NO_PARAMETERS, limit }, chart);
    },
    [operation.id, typed, storedFilters.data, limit],
  );
  return {
    chart: known ? isChart : null,
    look,
    parameters,
    isReady: known,
    asked: complete,
    complete,
    set: here && rows.length > 0 ? news.set : null,
    rows: here ? rows : NO_ROWS,
    count: here ? news.count : 0,
    unknown: data?.unknown ?? NO_NAMES,
    page,
    pages: news?.pages ?? null,
    total: news?.total ?? null,
    limit,
    busy: isFetching || !known,
    waitingUntil: isFetching ? waitingUntil : null,
    problem: error ? toProblem(error) : null,
    read,
    turn,
    prepare,
    unprepare: ahead.end,
    resize,
    again: () => void refetch(),
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
