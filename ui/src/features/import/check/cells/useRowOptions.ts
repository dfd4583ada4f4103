import type { CellContextMenuEvent, CellFocusedEvent, GridApi, GridOptions, IDatasource } from 'ag-grid-community';
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react';

import { setCellEdit } from '@/features/import-session';
import { type GridRow, type ImportView, type Problem, type RowFilter, type RowSort, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import type { MenuPosition } from './actions';
import { type FocusedCell, type Range, isInRange } from './cellRange';
import type { GridSelection } from './gridSelection';
import styles from './cells.module.css';

type Props = {
  view: ImportView;
  filter: RowFilter;
  grid: RefObject<GridApi<GridRow> | null>;
  selection: GridSelection;
  select: (range: Range | null) => void;
  onFocus: (change: (before: FocusedCell | null) => FocusedCell | null) => void;
  onSort: (sort: RowSort | null) => void;
  onTotal: (total: number) => void;
  onMenu: (place: MenuPosition) => void;
};

/** Returns the grid's options: a source that loads rows, and listeners. */
export function useRowOptions({ view, filter, grid, selection, select, onFocus, onSort, onTotal, onMenu }: Props): {
  options: GridOptions<GridRow>;
  problem: Problem | null;
} {
  const [problem, setProblem] = useState<Problem | null>(null);
  const lastView = useRef(view);
  useEffect(() => {
    // A refresh keeps the old rows until the fixed ones are loaded. So the scroll position and the focus stay.
    if (lastView.current !== view && lastView.current.id === view.id) grid.current?.refreshInfiniteCache();
    lastView.current = view;
  }, [view, grid]);
  const { id } = view;
  const datasource = useMemo<IDatasource>(
    () => ({
      getRows: ({ startRow, endRow, successCallback, failCallback }) => {
        commands.importRows(id, filter, startRow, endRow - startRow).then(
          (page) => {
            setProblem(null);
            onTotal(page.total);
            successCallback(page.rows, page.total);
            onFocus((before) => updateFocused(before, page.rows));
          },
          (cause: unknown) => {
            setProblem(toProblem(cause));
            failCallback();
          },
        );
      },
    }),
    [id, filter, onTotal, onFocus],
  );
  const options = useMemo<GridOptions<GridRow>>(
    () => ({
      rowModelType: 'infinite',
      cacheBlockSize: 200,
      maxBlocksInCache: 20,
      infiniteInitialRowCount: 1,
      rowBuffer: 20,
      readOnlyEdit: true,
      enterNavigatesVertically: true,
      enterNavigatesVerticallyAfterEdit: true,
      // Dragging selects cells instead of text.
      enableCellTextSelection: false,
      preventDefaultOnContextMenu: true,
      suppressMultiSort: true,
      rowClassRules: { [styles.excluded ?? '']: ({ data }) => data?.excluded === true },
      onCellEditRequest: ({ data, colDef, newValue }) => {
        selection.actions?.setCell(data.row, Number(colDef.colId), String(newValue ?? ''));
      },
      onCellEditingStarted: ({ api }) => setCellEdit(() => api.stopEditing()),
      onCellEditingStopped: () => setCellEdit(null),
      onSortChanged: ({ api }) => {
        const by = api.getColumnState().find((one) => one.sort);
        onSort(by?.sort ? { column: by.colId === 'row' ? null : Number(by.colId), descending: by.sort === 'desc' } : null);
      },
      onDisplayedColumnsChanged: ({ api }) => {
        selection.update({ order: columnOrder(api) });
      },
      onColumnMoved: ({ finished }) => {
        // Moving a column would change the cells of the range, so the selection is cleared.
        if (finished) select(null);
      },
      onCellFocused: (event: CellFocusedEvent<GridRow>) => {
        const row = event.rowIndex === null ? undefined : event.api.getDisplayedRowAtIndex(event.rowIndex)?.data;
        const name = typeof event.column === 'string' ? event.column : (event.column?.getColId() ?? null);
        const column = name === null || OWN_COLUMNS.has(name) ? null : Number(name);
        if (column === null || event.rowIndex === null) select(null);
        else {
          const newRange = selection.begin({ index: event.rowIndex, column });
          if (newRange) select(newRange);
        }
        onFocus(() => (row ? { row, column } : null));
      },
      onCellContextMenu: ({ event, api, node, column }: CellContextMenuEvent<GridRow>) => {
        if (!(event instanceof MouseEvent) || node.rowIndex === null) return;
        if (!isInRange(selection.range, Number(column.getColId()), node.rowIndex)) api.setFocusedCell(node.rowIndex, column);
        onMenu({ left: event.clientX, top: event.clientY, back: document.activeElement as HTMLElement | null });
      },
    }),
    [selection, select, onFocus, onSort, onMenu],
  );
  useEffect(() => () => setCellEdit(null), []);
  return { options: useMemo(() => ({ ...options, datasource }), [options, datasource]), problem };
}

/** IDs of the columns that Takt adds. */
const OWN_COLUMNS: ReadonlySet<string> = new Set(['row', 'rejected']);

/** Returns the file's columns in display order. */
export function columnOrder(api: GridApi<GridRow>): number[] {
  return api.getAllDisplayedColumns().map((one) => Number(one.getColId())).filter((one) => !Number.isNaN(one));
}

/** Returns the focused cell with the current version of its row. */
function updateFocused(before: FocusedCell | null, rows: readonly GridRow[]): FocusedCell | null {
  const row = before && rows.find((one) => one.row === before.row.row);
  return row ? { ...before, row } : before;
}
