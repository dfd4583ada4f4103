import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, createContext, use, useCallback, useEffect, useMemo, useState } from 'react';

import { queryClient } from '@/base/queryClient';
import { queryKeys } from '@/base/queryKeys';
import { refetchQueries } from '@/base/refetch';
import { type Problem, type TemplatesProgressed, type TemplatesView, commands, events } from '@/ipc/bindings';
import { listen } from '@/ipc/listen';
import { toProblem } from '@/ipc/problem';

type TimedProgress = TemplatesProgressed & { at: number };
type ReadingState = { id: number; since: number; from: number };
type ReadingContextValue = {
  bySite: Readonly<Record<string, ReadingState>>;
  progressById: Readonly<Record<number, TimedProgress>>;
  startReading: (site: string, id: number, from: number) => void;
  resumeReading: (site: string, id: number, from: number) => void;
};

const ReadingContext = createContext<ReadingContextValue | null>(null);
/** Minimum time between two updates, in milliseconds. */
const UPDATE_INTERVAL = 700;

/** Reads templates per site. The results survive page changes until Takt is closed. */
export function TemplateReadingProvider({ children }: { children: ReactNode }) {
  const [bySite, setBySite] = useState<ReadingContextValue['bySite']>({});
  // Progress by reading ID. The first progress may arrive before the start command returns.
  const [progressById, setProgressById] = useState<ReadingContextValue['progressById']>({});
  useEffect(
    () =>
      listen(events.templatesProgressed, (news) => {
        setProgressById((all) => ({ ...all, [news.id]: { ...news, at: Date.now() } }));
        if (news.done) {
          void queryClient.invalidateQueries({ queryKey: queryKeys.templateIds });
          void refetchQueries(queryClient, queryKeys.templateReading(news.id));
        }
      }),
    [],
  );
  const startReading = useCallback((site: string, id: number, from: number) => {
    setBySite((all) => ({ ...all, [site]: { id, since: Date.now(), from } }));
  }, []);
  // Resets the progress of the earlier reading. Only the caller knows that it is outdated, because a short reading may end before
  // its ID is known.
  const resumeReading = useCallback(
    (site: string, id: number, from: number) => {
      setProgressById((all) => (all[id]?.done ? { ...all, [id]: { ...all[id], done: false, problem: null } } : all));
      startReading(site, id, from);
    },
    [startReading],
  );
  const readings = useMemo(() => ({ bySite, progressById, startReading, resumeReading }), [bySite, progressById, startReading, resumeReading]);
  return <ReadingContext value={readings}>{children}</ReadingContext>;
}

export type TemplateReading = {
  /** Null before templates are read. */
  id: number | null;
  view: TemplatesView | null;
  running: boolean;
  requested: number;
  settled: number;
  /** Templates per second. */
  rate: number;
  problem: Problem | null;
  read: (ids: string) => void;
  resume: () => void;
  stop: () => void;
};

/** Reads a site's templates and reports the progress. After a stop, the templates read so far are kept. */
export function useTemplateReading(site: string): TemplateReading {
  const readings = use(ReadingContext);
  if (!readings) throw new Error('outside TemplateReadingProvider');
  const { bySite, progressById, startReading, resumeReading: resumeFrom } = readings;
  const [startProblem, setStartProblem] = useState<Problem | null>(null);
  const readingState = bySite[site];
  const id = readingState?.id;
  const news = id === undefined ? undefined : progressById[id];
  const running = readingState !== undefined && news?.done !== true;
  const links = useQuery({
    queryKey: queryKeys.templateReading(id),
    queryFn: () => commands.templateView(id ?? 0),
    enabled: id !== undefined,
    refetchInterval: running ? UPDATE_INTERVAL : false,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  const read = useCallback(
    (ids: string) => {
      setStartProblem(null);
      commands.templateRead(ids).then(
        (next) => startReading(site, next, 0),
        (cause: unknown) => setStartProblem(toProblem(cause)),
      );
    },
    [startReading, site],
  );
  const settledCount = news?.progress.settled ?? 0;
  const resume = useCallback(() => {
    if (id === undefined) return;
    resumeFrom(site, id, settledCount);
    commands.templateContinue(id).catch((cause: unknown) => setStartProblem(toProblem(cause)));
  }, [resumeFrom, site, id, settledCount]);
  const stop = useCallback(() => {
    if (id !== undefined) void commands.templateStop(id).catch(() => undefined);
  }, [id]);
  const seconds = news && readingState ? Math.max(0.1, (news.at - readingState.since) / 1000) : 1;
  return {
    id: id ?? null,
    view: id === undefined ? null : (links.data ?? null),
    running,
    requested: news?.progress.requested ?? 0,
    settled: settledCount,
    rate: readingState ? Math.max(0, settledCount - readingState.from) / seconds : 0,
    problem: startProblem ?? news?.problem ?? (links.error ? toProblem(links.error) : null),
    read,
    resume,
    stop,
  };
}
