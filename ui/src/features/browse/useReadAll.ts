import { useCallback, useEffect, useState } from 'react';

import { type BrowseProgressed, type Operation, type Problem, commands, events } from '../../ipc/bindings';
import { listen } from '../../ipc/listen';
import { toProblem } from '../../ipc/problem';
import type { Parameters } from './useReadPage';

/** Rows that were read completely and stay with the engine until the page is left. */
export type WholeSet = { id: number; rows: number };

export type AllReading = {
  running: boolean;
  progress: BrowseProgressed['progress'] | null;
  /** Rows per second since reading began. */
  rate: number;
  set: WholeSet | null;
  problem: Problem | null;
  start: () => Promise<void>;
  stop: () => void;
  forget: () => void;
};

type News = BrowseProgressed & { at: number };
type Standing = { id: number | null; since: number; problem: Problem | null; started: boolean };

const idle: Standing = { id: null, since: 0, problem: null, started: false };

/** Reading all pages, with its progress; stopped, what has come so far is kept. */
export function useReadAll(operation: Operation, parameters: Parameters): AllReading {
  const [standing, setStanding] = useState<Standing>(idle);
  // By id: the first progress may be told before the command that started it answers.
  const [told, setTold] = useState<Record<number, News>>({});
  useEffect(() => listen(events.browseProgressed, (news) => setTold((all) => ({ ...all, [news.id]: { ...news, at: Date.now() } }))), []);

  const start = useCallback(async () => {
    setStanding({ ...idle, since: Date.now(), started: true });
    try {
      const id = await commands.browseAll({ operation: operation.id, parameters });
      setStanding((now) => ({ ...now, id }));
    } catch (cause) {
      setStanding({ ...idle, problem: toProblem(cause) });
    }
  }, [operation.id, parameters]);
  const forget = useCallback(() => setStanding(idle), []);

  const news = standing.id === null ? undefined : told[standing.id];
  const id = standing.id;
  const stop = useCallback(() => {
    if (id !== null) void commands.browseStop(id).catch(() => undefined);
  }, [id]);
  return {
    running: standing.started && !news?.done,
    progress: news?.progress ?? null,
    rate: news ? news.progress.rows / Math.max(0.1, (news.at - standing.since) / 1000) : 0,
    set: news?.done && !news.problem ? { id: news.id, rows: news.progress.rows } : null,
    problem: standing.problem ?? news?.problem ?? null,
    start,
    stop,
    forget,
  };
}
