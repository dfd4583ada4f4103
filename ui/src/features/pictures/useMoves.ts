import { useCallback, useMemo, useState } from 'react';

import type { PictureKind, Picture } from '@/ipc/bindings';
import type { Item } from './boards/board';
import type { Moved } from './boards/planBoard';

type Can = NonNullable<Extract<PictureKind, { kind: 'plan' }>['moves']>;

export type Moves = {
  /** What moving means; nothing where the contract doesn't say. */
  can: Can | null;
  /** By the row's position in the set. */
  all: ReadonlyMap<number, Moved>;
  /** The rows whose lane changed, too. */
  elsewhere: ReadonlySet<number>;
  drop: (item: Item | undefined, moved: Moved) => void;
  undo: () => void;
  clear: () => void;
};

type Step = { row: number; moved: Moved; elsewhere: boolean };

/** Bars that a person moved. Nothing of it is sent: it waits for a preview, or for undo. */
export function useMoves(picture: Picture | undefined, set: number): Moves {
  const [steps, setSteps] = useState<{ set: number; list: Step[] }>({ set, list: [] });
  // Rows of another set are others, though they may be as many.
  const list = steps.set === set ? steps.list : none;
  const all = useMemo(() => new Map(list.map(({ row, moved }) => [row, moved])), [list]);
  const elsewhere = useMemo(() => new Set(list.filter((step) => step.elsewhere).map(({ row }) => row)), [list]);
  const drop = useCallback(
    (item: Item | undefined, moved: Moved) => {
      const [row] = item?.rows ?? [];
      if (!item || row === undefined || isThere(item, moved)) return;
      const step = { row, moved, elsewhere: moved.lane !== item.lane || elsewhere.has(row) };
      setSteps((now) => ({ set, list: [...(now.set === set ? now.list : []), step] }));
    },
    [set, elsewhere],
  );
  const undo = useCallback(() => setSteps((now) => ({ ...now, list: now.list.slice(0, -1) })), []);
  const clear = useCallback(() => setSteps({ set, list: [] }), [set]);
  const can = picture?.draw.kind === 'plan' ? (picture.draw.moves ?? null) : null;
  return { can, all, elsewhere, drop, undo, clear };
}

/** Let go where it was: nothing was moved. */
function isThere(item: Item, { begin, end, lane }: Moved): boolean {
  return item.begin === begin && item.end === end && item.lane === lane;
}

const none: Step[] = [];
