import type { CellContextMenuEvent, CellFocusedEvent, CellKeyDownEvent, FullWidthCellKeyDownEvent, GridApi, GridOptions, IDatasource } from 'ag-grid-community';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { Grid } from '@/components/grid/Grid';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { type GridRow, type ImportView, type Problem, type RowFilter, type RowSort, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import type { Place } from './FixMenu';
import { cellKey, keepStill } from './cellKeys';
import type { FocusedCell, Range } from './cellRange';
import { GridSelection } from './gridSelection';
import { rowColumns, shape } from './rowColumns';
import type { Actions } from './useCellActions';
import styles from './check.module.css';

type Props = {
  view: ImportView;
  filter: RowFilter;
  range: Range | null;
  actions: Actions;
  onFocus: (change: (before: FocusedCell | null) => FocusedCell | null) => void;
  onRange: (range: Range | null) => void;
  onSort: (sort: RowSort | null) => void;
  onTotal: (total: number) => void;
  onMenu: (place: Place) => void;
};

/** The sheet's rows as Excel numbers them, read piece by piece however many there are, and fixed where they stand. */
export function RowsGrid({ view, filter, range, actions, onFocus, onRange, onSort, onTotal, onMenu }: Props) {
  const { t, i18n } = useTranslation();
  const [problem, setProblem] = useState<Problem | null>(null);
  const grid = useRef<GridApi<GridRow> | null>(null);
  const [shared] = useState(() => new GridSelection());
  const lastView = useRef(view);
  const form = shape(view);
  // The columns stay as they are while cells are fixed: widths and order are a person's own by then.
  const [columns, setColumns] = useState(() => rowColumns(view, i18n.language, t, shared));
  const [formed, setFormed] = useState(`${form}${i18n.language}`);
  if (formed !== `${form}${i18n.language}`) {
    setFormed(`${form}${i18n.language}`);
    setColumns(rowColumns(view, i18n.language, t, shared));
  }
  useEffect(() => {
    shared.take({ actions });
  }, [shared, actions]);
  useEffect(() => {
    // What keys and clicks draw is there before the page is; only what the page takes away comes from here.
    if (range === null) shared.take({ range });
    grid.current?.refreshCells({ force: true });
  }, [shared, range]);
  useEffect(() => {
    // What is shown stays until the fixed rows are there, so that neither place nor focus is lost.
    if (lastView.current !== view && lastView.current.id === view.id) grid.current?.refreshInfiniteCache();
    lastView.current = view;
  }, [view]);
  const { id } = view;
  const datasource = useMemo<IDatasource>(
    () => ({
      getRows: ({ startRow, endRow, successCallback, failCallback }) => {
        commands.importRows(id, filter, startRow, endRow - startRow).then(
          (page) => {
            setProblem(null);
            onTotal(page.total);
            successCallback(page.rows, page.total);
            onFocus((before) => renewed(before, page.rows));
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
      enterNavigatesVerticallyAfterEdit: true,
      preventDefaultOnContextMenu: true,
      suppressMultiSort: true,
      rowClassRules: { [styles.excluded ?? '']: ({ data }) => data?.excluded === true },
      onCellEditRequest: ({ data, colDef, newValue }) => {
        shared.actions?.set(data.row, Number(colDef.colId), String(newValue ?? ''));
      },
      onSortChanged: ({ api }) => {
        const by = api.getColumnState().find((one) => one.sort);
        onSort(by?.sort ? { column: by.colId === 'row' ? null : Number(by.colId), descending: by.sort === 'desc' } : null);
      },
      onCellFocused: (event: CellFocusedEvent<GridRow>) => {
        const row = event.rowIndex === null ? undefined : event.api.getDisplayedRowAtIndex(event.rowIndex)?.data;
        const name = typeof event.column === 'string' ? event.column : (event.column?.getColId() ?? null);
        const column = name === null || ofTakt.has(name) ? null : Number(name);
        const drawn = shared.draw(column, event.rowIndex);
        if (drawn !== undefined) {
          shared.take({ range: drawn });
          onRange(drawn);
        }
        onFocus(() => (row ? { row, column } : null));
      },
      onCellContextMenu: ({ event, api, node, column }: CellContextMenuEvent<GridRow>) => {
        if (!(event instanceof MouseEvent) || node.rowIndex === null) return;
        if (shared.range === null) api.setFocusedCell(node.rowIndex, column);
        onMenu({ left: event.clientX, top: event.clientY, back: document.activeElement as HTMLElement | null });
      },
      onCellKeyDown: (pressed: CellKeyDownEvent<GridRow> | FullWidthCellKeyDownEvent<GridRow>) =>
        cellKey(pressed, shared, onRange, onMenu),
    }),
    [shared, onFocus, onRange, onSort, onMenu],
  );
  return (
    <div
      role="presentation"
      className={styles.grid}
      onMouseDownCapture={(event) => shared.take({ extending: event.shiftKey })}
      onKeyDownCapture={() => shared.take({ extending: false })}
      onKeyDown={(event) => keepStill(event.nativeEvent)}
    >
      {problem && <ProblemNote problem={problem} />}
      <Grid
        label={t('check.grid', { sheet: view.sheet })}
        testId="grid-check"
        columns={columns}
        options={{ ...options, datasource }}
        headerHeight={44}
        onReady={(api) => {
          grid.current = api;
        }}
      />
    </div>
  );
}

/** Columns that aren't the file's. */
const ofTakt: ReadonlySet<string> = new Set(['row', 'rejected']);

/** The focused row as it stands now. */
function renewed(before: FocusedCell | null, rows: readonly GridRow[]): FocusedCell | null {
  const row = before && rows.find((one) => one.row === before.row.row);
  return row ? { ...before, row } : before;
}
