import type { IDatasource } from 'ag-grid-community';
import { useMemo, useState } from 'react';

import type { Filter } from '../../ipc/bindings';
import type { Row } from './cells';
import { type Counts, tableSource } from './tableSource';

type Told = { by: symbol; counts: Counts; unknown: string[] | null };
type Asking = { set: number | null; first: readonly Row[] | null; filters: readonly Filter[]; find: string };

/** Where the grid gets its rows from, and what it was told by it. */
export type Asked = { source: IDatasource | undefined; counts: Counts | null; unknown: string[] | null };

/** Answers may overtake each other: what answers an earlier question says nothing of what is shown now. */
const remembered = 4;

export function useAsked({ set, first, filters, find }: Asking): Asked {
  const [told, setTold] = useState<readonly Told[]>([]);
  const asked = useMemo(() => {
    if (set === null) return null;
    const by = Symbol('asked');
    const tell = (counts: Counts, unknown: string[] | null) =>
      setTold((all) => [...all.filter((one) => one.by !== by), { by, counts, unknown }].slice(-remembered));
    return { by, source: tableSource({ set, first, filters, find, told: tell }) };
  }, [set, first, filters, find]);
  const answer = told.find(({ by }) => by === asked?.by);
  return { source: asked?.source, counts: answer?.counts ?? null, unknown: answer?.unknown ?? null };
}
