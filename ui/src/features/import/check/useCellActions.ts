import { useMemo, useState } from 'react';

import type { CellHelp, GridRow, ImportView, RowFilter } from '@/ipc/bindings';
import { type FocusedCell, type Range, bounds, rowsOf } from './cellRange';
import type { Fixes } from './useFixes';

/** What can be done with the chosen cells; each that can't is absent. */
export type Actions = {
  /** As Excel names it, for example `D4`. */
  place: string | null;
  /** More than one cell: how many, and the column's letter. */
  many: { count: number; letter: string } | null;
  set: (row: number, column: number, text: string) => void;
  clear: (() => void) | null;
  fill: (() => void) | null;
  /** The text that stands in so many cells of the column. */
  alike: { text: string; count: number } | null;
  replace: ((to: string) => void) | null;
  /** Rows that would be left out, and rows that would be taken in again. */
  exclude: { count: number; run: () => void } | null;
  include: { count: number; run: () => void } | null;
  /** Whether the person is being asked for the text that replaces. */
  asking: boolean;
  ask: (asking: boolean) => void;
};

type PlanStatus = {
  view: ImportView;
  filter: RowFilter;
  focused: FocusedCell | null;
  range: Range | null;
  fixes: Fixes;
  help: CellHelp;
};

export function useCellActions({ view, filter, focused, range, fixes, help }: PlanStatus): Actions {
  const [asking, ask] = useState(false);
  return useMemo(() => {
    const column = view.columns.find((one) => one.index === focused?.column);
    const cell = column && focused?.row.cells[column.index];
    const [first, last] = range ? bounds(range) : [0, 0];
    const count = range ? last - first + 1 : 1;
    const { fix } = fixes;
    const each = async (then: (rows: GridRow[]) => void) => {
      const rows = range ? await rowsOf(view, filter, range) : focused ? [focused.row] : [];
      if (rows.length > 0) then(rows);
    };
    const numbers = (rows: GridRow[]) => rows.map((one) => one.row);
    const include = () => void each((rows) => fix({ kind: 'include', rows: numbers(rows) }));
    const exclude = () => void each((rows) => fix({ kind: 'exclude', rows: numbers(rows) }));
    return {
      place: column && focused ? `${column.letter}${focused.row.row}` : null,
      many: column && count > 1 ? { count, letter: column.letter } : null,
      set: (row, at, text) => fix({ kind: 'set', row, column: at, text }),
      clear: column && focused && count === 1 ? () => fix({ kind: 'set', row: focused.row.row, column: column.index, text: '' }) : null,
      fill:
        column && count > 1
          ? () =>
              void each(([top, ...below]) => {
                if (top) fix({ kind: 'fill', column: column.index, from: top.row, to: numbers(below) });
              })
          : null,
      alike: cell && help.alike > 0 ? { text: cell.shown, count: help.alike } : null,
      replace: column && cell ? (to) => fix({ kind: 'replace', column: column.index, from: cell.shown, to }) : null,
      exclude: focused && !focused.row.excluded ? { count, run: exclude } : null,
      include: focused?.row.excluded ? { count, run: include } : null,
      asking,
      ask,
    };
  }, [view, filter, focused, range, fixes, help, asking]);
}
