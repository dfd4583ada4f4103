import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';

import { useSite } from '@/base/appState';
import { queryKeys } from '@/base/queryKeys';
import { useWindowView } from '@/base/window/windowView';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { type BarPlace, type MovedBar, type Operation, type Picture, type PictureKind, type Problem, type SpansView, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import type { Item } from './boards/board';
import type { MovedTimes } from './boards/planBoard';

type MoveRules = NonNullable<Extract<PictureKind, { kind: 'plan' }>['moves']>;

export type Moves = {
  /** The contract's rules for moving bars, null if bars can't be moved. */
  rules: MoveRules | null;
  steps: readonly MovedBar[];
  /** The problem with stored moves that can't be read. No bar can be moved until they are discarded. */
  problem: Problem | null;
  drop: (item: Item | undefined, moved: MovedTimes, lanes: readonly string[]) => void;
  undo: () => void;
  clear: () => void;
  /** Discards the moves of these labels, because the service has already applied them. */
  discardApplied: (labels: readonly string[]) => void;
};

/** The moves matched with the drawn rows. */
export type PlacedMoves = {
  /** The moves by the row's position in the set. */
  byPosition: ReadonlyMap<number, MovedTimes>;
  /** The moved rows whose lane has changed too. */
  changedLanes: ReadonlySet<number>;
  /** The number of moved bars without a drawn row. */
  undrawnCount: number;
  /** Labels of bars whose times at the service have changed since the move. */
  changed: readonly string[];
  /** Labels of bars that the service already has at their moved times. */
  applied: readonly string[];
};

/** Stores moved bars per site until they are sent or discarded. They survive a restart. Nothing is sent from here. */
export function useMoves(operation: Operation, picture: Picture | undefined): Moves {
  const site = useSite()?.site.name;
  const queries = useQueryClient();
  // A secondary window has no preview, so bars can only be moved in the main window.
  const isMain = useWindowView() === null;
  const contractRules = isMain && picture?.draw.kind === 'plan' ? (picture.draw.moves ?? null) : null;
  const key = useMemo(() => queryKeys.movedBars(site, operation.id), [site, operation.id]);
  const { data: steps, error } = useQuery({
    queryKey: key,
    queryFn: () => commands.movedBars(site ?? '', operation.id),
    enabled: contractRules !== null && site !== undefined,
    gcTime: Infinity,
    staleTime: Infinity,
  });
  const change = useCallback(
    (next: (steps: readonly MovedBar[]) => readonly MovedBar[]) => {
      const now = queries.getQueryData<readonly MovedBar[]>(key);
      if (!now || site === undefined) return;
      const changed = next(now);
      queries.setQueryData<readonly MovedBar[]>(key, changed);
      // Changes are stored one after another, so that the last one wins.
      pendingStore = pendingStore.then(() => commands.storeMovedBars(site, operation.id, [...changed])).then(noop, showProblemNotice);
    },
    [queries, key, site, operation.id],
  );
  const drop = useCallback(
    (item: Item | undefined, moved: MovedTimes, lanes: readonly string[]) => {
      if (!item || isUnmoved(item, moved)) return;
      const at = ({ begin, end, lane }: MovedTimes) => ({ begin, end, lane: lanes[lane] ?? '' });
      change((now) => {
        const before = now.find((step) => step.label === item.label);
        return [...now, { label: item.label, to: at(moved), from: before?.from ?? at(item) }];
      });
    },
    [change],
  );
  const undo = useCallback(() => change((now) => now.slice(0, -1)), [change]);
  const clear = useCallback(() => change(() => NO_MOVES), [change]);
  const discardApplied = useCallback((labels: readonly string[]) => change((now) => now.filter((step) => !labels.includes(step.label))), [change]);
  const discard = useCallback(() => {
    if (site === undefined) return;
    pendingStore = pendingStore
      .then(() => commands.storeMovedBars(site, operation.id, []))
      .then(() => queries.invalidateQueries({ queryKey: key }))
      .then(noop, showProblemNotice);
  }, [queries, key, site, operation.id]);
  const rules = steps ? contractRules : null;
  const problem = contractRules && error ? toProblem(error) : null;
  return { rules, steps: rules && steps ? steps : NO_MOVES, problem, drop, undo, clear: problem ? discard : clear, discardApplied };
}

/** Matches the moves with the drawn rows. Moves that the service has already applied are only listed as settled. */
export function placeMoves(view: SpansView | null, steps: readonly MovedBar[]): PlacedMoves {
  const byPosition = new Map<number, MovedTimes>();
  const changedLanes = new Set<number>();
  const [changed, applied] = [new Array<string>(), new Array<string>()];
  const last = new Map(steps.map((step) => [step.label, step]));
  const found = new Set<string>();
  view?.rows.forEach((row, at) => {
    const label = view.label[at] ?? '';
    const step = last.get(label);
    if (!step) return;
    const now = { begin: (view.firstBegin[at] ?? NaN) * 1000, end: (view.firstEnd[at] ?? NaN) * 1000, lane: view.lanes[view.lane[at] ?? -1] ?? '' };
    if (isSame(step.to, now)) {
      found.add(label);
      applied.push(label);
      return;
    }
    const lane = view.lanes.indexOf(step.to.lane);
    if (lane < 0) return;
    found.add(label);
    if (!isSame(step.from, now)) changed.push(label);
    byPosition.set(row, { begin: step.to.begin ?? NaN, end: step.to.end ?? NaN, lane });
    if (lane !== view.lane[at]) changedLanes.add(row);
  });
  return { byPosition, changedLanes, undrawnCount: last.size - found.size, changed, applied };
}

function isSame(one: BarPlace, other: BarPlace): boolean {
  return one.begin === other.begin && one.end === other.end && one.lane === other.lane;
}

/** Whether a bar was dropped where it already is. */
function isUnmoved(item: Item, { begin, end, lane }: MovedTimes): boolean {
  return item.begin === begin && item.end === end && item.lane === lane;
}

const NO_MOVES: readonly MovedBar[] = [];
const noop = () => undefined;
let pendingStore: Promise<unknown> = Promise.resolve();
