import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';

import { useSite } from '@/base/appState';
import { queryKeys } from '@/base/queryKeys';
import { useWindowView } from '@/base/window/windowView';
import type { Operation, Picture, PictureKind, SpansView } from '@/ipc/bindings';
import type { Item } from './boards/board';
import type { Moved } from './boards/planBoard';

type Can = NonNullable<Extract<PictureKind, { kind: 'plan' }>['moves']>;

/** A bar that was moved, by what it is called: rows of another reading stand elsewhere. */
export type Step = { label: string; begin: number; end: number; lane: string };

export type Moves = {
  /** What moving means; nothing where the contract doesn't say. */
  can: Can | null;
  steps: readonly Step[];
  drop: (item: Item | undefined, moved: Moved, lanes: readonly string[]) => void;
  undo: () => void;
  clear: () => void;
};

/** Moved bars where they lie among the rows that are drawn. */
export type PlacedMoves = {
  /** By the row's position in the set. */
  all: ReadonlyMap<number, Moved>;
  /** The rows whose lane changed, too. */
  elsewhere: ReadonlySet<number>;
  /** Moved bars that aren't among these rows. */
  absent: number;
};

/**
 * Bars that a person moved, kept while Takt runs, whatever page is looked at. Nothing of it is sent: it waits for a preview, for
 * undo, or for rows that say the same.
 */
export function useMoves(operation: Operation, picture: Picture | undefined): Moves {
  const site = useSite()?.site.name;
  const queries = useQueryClient();
  const key = useMemo(() => queryKeys.movedBars(site, operation.id), [site, operation.id]);
  const { data: steps } = useQuery({ queryKey: key, queryFn: () => none, initialData: none, enabled: false, gcTime: Infinity, staleTime: Infinity });
  const change = useCallback((next: (steps: readonly Step[]) => readonly Step[]) => queries.setQueryData<readonly Step[]>(key, (now) => next(now ?? none)), [queries, key]);
  const drop = useCallback(
    (item: Item | undefined, moved: Moved, lanes: readonly string[]) => {
      if (!item || isThere(item, moved)) return;
      change((now) => [...now, { label: item.label, begin: moved.begin, end: moved.end, lane: lanes[moved.lane] ?? '' }]);
    },
    [change],
  );
  const undo = useCallback(() => void change((now) => now.slice(0, -1)), [change]);
  const clear = useCallback(() => void change(() => none), [change]);
  // What is moved waits in the main window for its preview.
  const isMain = useWindowView() === null;
  const can = isMain && picture?.draw.kind === 'plan' ? (picture.draw.moves ?? null) : null;
  return { can, steps: can ? steps : none, drop, undo, clear };
}

/** Where the moved bars lie among these rows; what the service has meanwhile as it was moved, isn't moved any more. */
export function placedMoves(view: SpansView | null, steps: readonly Step[]): PlacedMoves {
  const all = new Map<number, Moved>();
  const elsewhere = new Set<number>();
  const last = new Map(steps.map((step) => [step.label, step]));
  const found = new Set<string>();
  view?.rows.forEach((row, at) => {
    const step = last.get(view.label[at] ?? '');
    if (!step) return;
    found.add(step.label);
    const lane = view.lanes.indexOf(step.lane);
    if (lane < 0) return;
    const isElsewhere = lane !== view.lane[at];
    const isHeld = !isElsewhere && step.begin === (view.firstBegin[at] ?? NaN) * 1000 && step.end === (view.firstEnd[at] ?? NaN) * 1000;
    if (isHeld) return;
    all.set(row, { begin: step.begin, end: step.end, lane });
    if (isElsewhere) elsewhere.add(row);
  });
  return { all, elsewhere, absent: last.size - found.size };
}

/** Let go where it was: nothing was moved. */
function isThere(item: Item, { begin, end, lane }: Moved): boolean {
  return item.begin === begin && item.end === end && item.lane === lane;
}

const none: readonly Step[] = [];
