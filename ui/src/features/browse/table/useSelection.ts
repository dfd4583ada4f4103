import type { GridApi } from 'ag-grid-community';
import { type MouseEvent, useCallback, useMemo, useRef, useState } from 'react';

import type { TableRow } from '@/base/values/cells';
import { type Arrangement, commands } from '@/ipc/bindings';

export type Selection = {
  /** Positions in the set, ascending. */
  positions: number[];
  /** The grid's callback for changed ticks. */
  handleSelectionChange: (api: GridApi<TableRow>) => void;
  /** The grid's callback for rendered rows. It ticks rows that were selected before the grid loaded them. */
  handleRowsRendered: (api: GridApi<TableRow>) => void;
  /** Click handler of the grid's container, because Shift+click may include rows that aren't rendered. */
  handleClick: (event: MouseEvent) => void;
  selectAll: () => void;
  selectNone: () => void;
};

const ALL_ROWS = 4_000_000_000;

/** The ticked rows. The grid knows only rows that it has loaded. Ticks of other rows are stored here until then. */
export function useSelection(api: GridApi<TableRow> | null, set: number | null, arrangement: Arrangement, onSelected: (positions: number[]) => void): Selection {
  const [positions, setPositions] = useState<number[]>([]);
  const unloadedTicks = useRef(new Set<number>());
  const anchor = useRef<number | null>(null);

  const handleSelectionChange = useCallback(
    (grid: GridApi<TableRow>) => {
      const selected = grid.getSelectedNodes().map(({ id }) => Number(id));
      const next = [...new Set([...selected, ...unloadedTicks.current])].toSorted((a, b) => a - b);
      // Turning a page clears the ticks. This avoids a render if there were none.
      setPositions((now) => (now.length === 0 && next.length === 0 ? now : next));
      onSelected(next);
    },
    [onSelected],
  );
  const handleRowsRendered = useCallback((grid: GridApi<TableRow>) => {
    if (unloadedTicks.current.size === 0) return;
    const changes: Parameters<typeof grid.setNodesSelected>[0]['nodes'] = [];
    grid.forEachNode((node) => {
      if (node.data && unloadedTicks.current.delete(node.data.position)) changes.push(node);
    });
    if (changes.length > 0) grid.setNodesSelected({ nodes: changes, newValue: true });
  }, []);
  const add = useCallback(
    async (offset: number, count: number) => {
      if (!api || set === null) return;
      const more = await commands.browsePositions(set, arrangement, offset, count).catch(() => []);
      for (const position of more) unloadedTicks.current.add(position);
      handleRowsRendered(api);
      handleSelectionChange(api);
    },
    [api, set, arrangement, handleRowsRendered, handleSelectionChange],
  );
  const selectNone = useCallback(() => {
    unloadedTicks.current.clear();
    anchor.current = null;
    if (!api) return;
    api.deselectAll();
    handleSelectionChange(api);
  }, [api, handleSelectionChange]);
  const handleClick = useCallback(
    (event: MouseEvent) => {
      const row = tickedRow(event);
      if (row === null) return;
      const from = anchor.current;
      if (!event.shiftKey || from === null) anchor.current = row;
      else void add(Math.min(from, row), Math.abs(row - from) + 1);
    },
    [add],
  );
  const selectAll = useCallback(() => void add(0, ALL_ROWS), [add]);
  return useMemo(() => ({ positions, handleSelectionChange, handleRowsRendered, handleClick, selectAll, selectNone }), [positions, handleSelectionChange, handleRowsRendered, handleClick, selectAll, selectNone]);
}

/** Returns the index of the row whose checkbox was clicked, null for a click elsewhere. */
function tickedRow({ target }: MouseEvent): number | null {
  if (!(target instanceof Element) || !target.closest('.ag-selection-checkbox')) return null;
  const row = target.closest('[row-index]')?.getAttribute('row-index');
  return row ? Number(row) : null;
}
