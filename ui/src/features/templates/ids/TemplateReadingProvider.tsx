import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, createContext, use, useCallback, useEffect, useMemo, useState } from 'react';

import { queryClient } from '@/base/queryClient';
import { queryKeys } from '@/base/queryKeys';
import { refetchQueries } from '@/base/refetch';
import { type Problem, type TemplatesProgressed, type TemplatesView, commands, events } from '@/ipc/bindings';
import { listen } from '@/ipc/listen';
import { toProblem } from '@/ipc/problem';

type News = TemplatesProgressed & { at: number };
type ReadingState = { id: number; since: number; from: number };
type Readings = {
  bySite: Readonly<Record<string, ReadingState>>;
  latestNews: Readonly<Record<number, News>>;
  begin: (site: string, id: number, from: number) => void;
  resumeReading: (site: string, id: number, from: number) => void;
};

const ReadingContext = createContext<Readings | null>(null);
/** Minimum time between two updates, in milliseconds. */
const UPDATE_INTERVAL = 700;

/** Reads templates per site. The results survive page changes until Takt is closed. */
export function TemplateReadingProvider({ children }: { children: ReactNode }) {
  const [bySite, setBySite] = useState<Readings['bySite']>({});
  // Progress by reading ID. The first progress may arrive before the start command returns.
  const [latestNews, setLatestNews] = useState<Readings['latestNews']>({});
  useEffect(
    () =>
      listen(events.templatesProgressed, (news) => {
        setLatestNews((all) => ({ ...all, [news.id]: { ...news, at: Date.now() } }));
        if (news.done) {
          void queryClient.invalidateQueries({ queryKey: queryKeys.templateIds });
          void refetchQueries(queryClient, queryKeys.templateReading(news.id));
        }
      }),
    [],
  );
  const begin = useCallback((site: string, id: number, from: number) => {
    setBySite((all) => ({ ...all, [site]: { id, since: Date.now(), from } }));
  }, []);
  // Resets the progress of the earlier reading. Only the caller knows that it is outdated, because a short reading may end before
  // its ID is known.
  const resumeReading = useCallback(
    (site: string, id: number, from: number) => {
      setLatestNews((all) => (all[id]?.done ? { ...all, [id]: { ...all[id], done: false, problem: null } } : all));
      begin(site, id, from);
    },
    [begin],
  );
  const readings = useMemo(() => ({ bySite, latestNews, begin, resumeReading }), [bySite, latestNews, begin, resumeReading]);
  return <ReadingContext value={readings}>{children}</ReadingContext>;
}

export type TemplateReading = {
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
  const { bySite, latestNews, begin, resumeReading: resumeFrom } = readings;
  const [refused, setRefused] = useState<Problem | null>(null);
  const standing = bySite[site];
  const id = standing?.id;
  const news = id === undefined ? undefined : latestNews[id];
  const running = standing !== undefined && news?.done !== true;
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
      setRefused(null);
      commands.templateRead(ids).then(
        (next) => begin(site, next, 0),
        (cause: unknown) => setRefused(toProblem(cause)),
      );
    },
    [begin, site],
  );
  const settled = news?.progress.settled ?? 0;
  const resume = useCallback(() => {
    if (id === undefined) return;
    resumeFrom(site, id, settled);
    commands.templateContinue(id).catch((cause: unknown) => setRefused(toProblem(cause)));
  }, [resumeFrom, site, id, settled]);
  const stop = useCallback(() => {
    if (id !== undefined) void commands.templateStop(id).catch(() => undefined);
  }, [id]);
  const seconds = news && standing ? Math.max(0.1, (news.at - standing.since) / 1000) : 1;
  return {
    view: id === undefined ? null : (links.data ?? null),
    running,
    requested: news?.progress.requested ?? 0,
    settled,
    rate: standing ? Math.max(0, settled - standing.from) / seconds : 0,
    problem: refused ?? news?.problem ?? (links.error ? toProblem(links.error) : null),
    read,
    resume,
    stop,
  };
}
