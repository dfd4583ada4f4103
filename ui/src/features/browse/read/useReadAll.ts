import { useCallback, useEffect, useRef, useState } from 'react';

import { type BrowseProgressed, type Operation, type Problem, commands, events } from '@/ipc/bindings';
import { listen } from '@/ipc/listen';
import { toProblem } from '@/ipc/problem';
import type { Parameters } from './parameters';

/** The rows of all pages read so far. The engine stores them until the page is left. */
type ReadSet = { id: number; rows: number };

export type AllReading = {
  running: boolean;
  progress: BrowseProgressed['progress'] | null;
  /** Rows per second since reading started or resumed. */
  rate: number;
  set: ReadSet | null;
  /** The outcome. Null while pages are read, or if reading failed. */
  end: BrowseProgressed['end'];
  /** Whether reading ended early and can be resumed. */
  canResume: boolean;
  problem: Problem | null;
  start: () => Promise<void>;
  resume: () => Promise<void>;
  stop: () => void;
  discard: () => void;
};

type TimedProgress = BrowseProgressed & { at: number };
/** `since` is the time of the last start or resume, and `before` the number of rows read until then. */
type ReadState = { id: number | null; since: number; before: number; problem: Problem | null; started: boolean };

const IDLE: ReadState = { id: null, since: 0, before: 0, problem: null, started: false };
/** Minimum time between two progress updates, in milliseconds. */
const PROGRESS_INTERVAL = 250;

/** Reads all pages. After a stop or failure, the rows are kept and reading can be resumed. */
export function useReadAll(operation: Operation, parameters: Parameters): AllReading {
  const [readState, setReadState] = useState<ReadState>(IDLE);
  const [progressById, resetProgress] = useReadProgress();
  const latest = readState.id === null ? undefined : progressById[readState.id];

  const start = useCallback(async () => {
    setReadState({ ...IDLE, since: Date.now(), started: true });
    try {
      const id = await commands.browseAll({ operation: operation.id, parameters });
      setReadState((now) => ({ ...now, id }));
    } catch (cause) {
      setReadState({ ...IDLE, problem: toProblem(cause) });
    }
  }, [operation.id, parameters]);
  const { id } = readState;
  const rows = latest?.progress.rows ?? 0;
  const resume = useCallback(async () => {
    if (id === null) return;
    resetProgress(id);
    setReadState((now) => ({ ...now, since: Date.now(), before: rows, problem: null }));
    try {
      await commands.browseContinue(id);
    } catch (cause) {
      setReadState({ ...IDLE, problem: toProblem(cause) });
    }
  }, [id, rows, resetProgress]);
  const stop = useCallback(() => {
    if (id !== null) void commands.browseStop(id).catch(() => undefined);
  }, [id]);
  const discard = useCallback(() => {
    stop();
    setReadState(IDLE);
  }, [stop]);

  const done = latest?.done ?? false;
  const seconds = latest ? Math.max(0.1, (latest.at - readState.since) / 1000) : 1;
  return {
    running: readState.started && !done,
    progress: latest?.progress ?? null,
    rate: latest ? Math.max(0, rows - readState.before) / seconds : 0,
    set: id !== null && rows > 0 ? { id, rows } : null,
    end: done ? (latest?.end ?? null) : null,
    canResume: done && (latest?.problem !== null || latest.end === 'stopped'),
    problem: readState.problem ?? (done ? (latest?.problem ?? null) : null),
    start,
    resume,
    stop,
    discard,
  };
}

/** Starts reading all pages once, when `enabled` becomes true. The rows that a link requests may be on any page. */
export function useReadAllOnce({ start }: AllReading, enabled: boolean): void {
  const hasStarted = useRef(false);
  useEffect(() => {
    if (!enabled || hasStarted.current) return;
    hasStarted.current = true;
    void start();
  }, [enabled, start]);
}

/** Returns the latest progress by reading ID. The first progress may arrive before the start command returns. */
function useReadProgress(): [Readonly<Record<number, TimedProgress>>, (id: number) => void] {
  const [progressById, setProgressById] = useState<Record<number, TimedProgress>>({});
  useEffect(() => {
    const last = new Map<number, number>();
    return listen(events.browseProgressed, (progressed) => {
      const at = Date.now();
      // A wait is shown immediately.
      const waits = progressed.progress.waitingUntil !== null;
      if (!progressed.done && !waits && at - (last.get(progressed.id) ?? 0) < PROGRESS_INTERVAL) return;
      last.set(progressed.id, at);
      setProgressById((all) => ({ ...all, [progressed.id]: { ...progressed, at } }));
    });
  }, []);
  const forget = useCallback((id: number) => {
    setProgressById((all) => {
      const reading = all[id];
      return reading ? { ...all, [id]: { ...reading, problem: null, end: null, done: false } } : all;
    });
  }, []);
  return [progressById, forget];
}
