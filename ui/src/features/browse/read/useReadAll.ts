import { useCallback, useEffect, useRef, useState } from 'react';

import { type BrowseProgressed, type Operation, type Problem, commands, events } from '@/ipc/bindings';
import { listen } from '@/ipc/listen';
import { toProblem } from '@/ipc/problem';
import type { Parameters } from './parameters';

/** Rows of all pages, as far as they have come; they stay with the engine until the page is left. */
type WholeSet = { id: number; rows: number };

export type AllReading = {
  running: boolean;
  progress: BrowseProgressed['progress'] | null;
  /** Rows per second since reading began or went on. */
  rate: number;
  set: WholeSet | null;
  /** How it ended; absent while it runs, and where a problem ended it. */
  end: BrowseProgressed['end'];
  /** True where it ended early and can go on from where it stands. */
  open: boolean;
  problem: Problem | null;
  start: () => Promise<void>;
  goOn: () => Promise<void>;
  stop: () => void;
  forget: () => void;
};

type News = BrowseProgressed & { at: number };
/** `round` counts how often it began or went on: news of the round before say nothing. */
type PlanStatus = { id: number | null; since: number; before: number; problem: Problem | null; started: boolean };

const idle: PlanStatus = { id: null, since: 0, before: 0, problem: null, started: false };
/** Milliseconds between two looks at how far it is: pages come faster than anybody reads. */
const look = 250;

/** Reading all pages, with its progress; stopped or broken off, what has come so far is kept, and it can go on. */
export function useReadAll(operation: Operation, parameters: Parameters): AllReading {
  const [standing, setStanding] = useState<PlanStatus>(idle);
  const [news, forgetNews] = useNews();
  const ofThis = standing.id === null ? undefined : news[standing.id];

  const start = useCallback(async () => {
    setStanding({ ...idle, since: Date.now(), started: true });
    try {
      const id = await commands.browseAll({ operation: operation.id, parameters });
      setStanding((now) => ({ ...now, id }));
    } catch (cause) {
      setStanding({ ...idle, problem: toProblem(cause) });
    }
  }, [operation.id, parameters]);
  const { id } = standing;
  const rows = ofThis?.progress.rows ?? 0;
  const goOn = useCallback(async () => {
    if (id === null) return;
    forgetNews(id);
    setStanding((now) => ({ ...now, since: Date.now(), before: rows, problem: null }));
    try {
      await commands.browseContinue(id);
    } catch (cause) {
      setStanding({ ...idle, problem: toProblem(cause) });
    }
  }, [id, rows, forgetNews]);
  const stop = useCallback(() => {
    if (id !== null) void commands.browseStop(id).catch(() => undefined);
  }, [id]);
  const forget = useCallback(() => {
    stop();
    setStanding(idle);
  }, [stop]);

  const done = ofThis?.done ?? false;
  const seconds = ofThis ? Math.max(0.1, (ofThis.at - standing.since) / 1000) : 1;
  return {
    running: standing.started && !done,
    progress: ofThis?.progress ?? null,
    rate: ofThis ? Math.max(0, rows - standing.before) / seconds : 0,
    set: id !== null && rows > 0 ? { id, rows } : null,
    end: done ? (ofThis?.end ?? null) : null,
    open: done && (ofThis?.problem !== null || ofThis.end === 'stopped'),
    problem: standing.problem ?? (done ? (ofThis?.problem ?? null) : null),
    start,
    goOn,
    stop,
    forget,
  };
}

/** Reads all pages once it is known that there are more: what somebody was sent here to find may stand on any of them. */
export function useWhole({ start }: AllReading, enabled: boolean): void {
  const begun = useRef(false);
  useEffect(() => {
    if (!enabled || begun.current) return;
    begun.current = true;
    void start();
  }, [enabled, start]);
}

/** What was told last of each reading, by its number: the first may be told before the command that started it answers. */
function useNews(): [Readonly<Record<number, News>>, (id: number) => void] {
  const [news, setNews] = useState<Record<number, News>>({});
  useEffect(() => {
    const last = new Map<number, number>();
    return listen(events.browseProgressed, (progressed) => {
      const at = Date.now();
      // That it waits is told once.
      const waits = progressed.progress.waitingUntil !== null;
      if (!progressed.done && !waits && at - (last.get(progressed.id) ?? 0) < look) return;
      last.set(progressed.id, at);
      setNews((all) => ({ ...all, [progressed.id]: { ...progressed, at } }));
    });
  }, []);
  const forget = useCallback((id: number) => {
    setNews((all) => {
      const reading = all[id];
      return reading ? { ...all, [id]: { ...reading, problem: null, end: null, done: false } } : all;
    });
  }, []);
  return [news, forget];
}
