import type { GridApi } from 'ag-grid-community';
import { type ClipboardEvent, type KeyboardEvent, type Ref, useCallback, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { isClipboardField, isTextInput } from '@/base/clipboardKeys';
import { Grid } from '@/components/grid/Grid';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { showWarningNotice } from '@/components/notices/warningNotice';
import { usePageKeys } from '@/components/page/pageKeys';
import { type CellHelp, type CellPlace, type GridRow, type ImportView, type ProblemCell, type RowFilter, type RowSort, commands } from '@/ipc/bindings';
import { CellNote } from './CellNote';
import { FindBar } from './FindBar';
import type { Actions, MenuPosition } from './actions';
import { cellCommandOf } from './cellKeys';
import { type FocusedCell, type Range, rangeBetween, MAX_CELLS } from './cellRange';
import { parseClipboard, MAX_CLIPBOARD_LENGTH } from './clipboardText';
import { GridSelection } from './gridSelection';
import { moveToCell, handleCellKey } from './handleCellKey';
import { rowColumns, columnsKey } from './rowColumns';
import { paintSelection } from './selectionMarks';
import { useCellDrag } from './useCellDrag';
import { columnOrder, useRowOptions } from './useRowOptions';
import styles from './cells.module.css';

/** The grid's actions for other parts of the check. */
export type RowsGridHandle = {
  /** Focuses the next or previous cell with an error or a warning. Returns it, or null if there is none. */
  goToProblem: (forward: boolean) => Promise<ProblemCell | null>;
};

type Props = {
  ref: Ref<RowsGridHandle>;
  view: ImportView;
  filter: RowFilter;
  focused: FocusedCell | null;
  range: Range | null;
  help: CellHelp;
  actions: Actions;
  actionsOf: (range: Range | null) => Actions;
  onFocus: (change: (before: FocusedCell | null) => FocusedCell | null) => void;
  onRange: (range: Range | null) => void;
  onSort: (sort: RowSort | null) => void;
  onTotal: (total: number) => void;
  onMenu: (place: MenuPosition) => void;
};

/** The sheet's rows with Excel's row numbers. They are loaded block by block and can be edited. */
export function RowsGrid({ ref, view, filter, focused, range, help, actions, actionsOf, onFocus, onRange, onSort, onTotal, onMenu }: Props) {
  const { t, i18n } = useTranslation();
  const container = useRef<HTMLDivElement>(null);
  const grid = useRef<GridApi<GridRow> | null>(null);
  const [selection] = useState(() => new GridSelection());
  const [isFindOpen, setFindOpen] = useState(false);
  const [closedNote, setClosedNote] = useState<FocusedCell | null>(null);
  const columnsVersion = `${columnsKey(view)}${i18n.language}`;
  // Fixes don't rebuild the columns, because the user may have changed their widths and order.
  const [columns, setColumns] = useState(() => rowColumns(view, i18n.language, t, selection));
  const [builtVersion, setBuiltVersion] = useState(columnsVersion);
  if (builtVersion !== columnsVersion) {
    setBuiltVersion(columnsVersion);
    setColumns(rowColumns(view, i18n.language, t, selection));
  }
  const paint = useCallback(() => paintSelection(container.current, selection, styles), [selection]);
  const select = useCallback(
    (next: Range | null) => {
      // The next key may be pressed before the render, so the selection is updated at once.
      selection.update({ range: next });
      paint();
      onRange(next);
    },
    [selection, paint, onRange],
  );
  useEffect(() => {
    selection.update({ actionsOf });
  }, [selection, actionsOf]);
  useEffect(() => {
    // Keys and clicks update the selection at once. Only a selection that is cleared elsewhere must be updated here.
    if (range !== null) return;
    selection.update({ range: null });
    paint();
  }, [selection, paint, range]);
  const { options, problem } = useRowOptions({ view, filter, grid, selection, select, onFocus, onSort, onTotal, onMenu });
  const handleMouseDown = useCellDrag({ container, grid, selection, select, paint });
  usePageKeys((event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== 'f') return;
    event.preventDefault();
    setFindOpen(true);
    container.current?.querySelector<HTMLElement>('[data-testid="find-text"]')?.focus();
  });
  const focusCell = useCallback(() => {
    const cell = grid.current?.getFocusedCell();
    if (cell) grid.current?.setFocusedCell(cell.rowIndex, cell.column);
  }, []);
  const dismissNote = useCallback(() => setClosedNote(focused), [focused]);
  const isClosed = closedNote !== null && closedNote.row.row === focused?.row.row && closedNote.column === focused.column;
  // A closed note is shown again when its cell is focused again.
  if (closedNote !== null && focused !== null && !isClosed) setClosedNote(null);
  const isOpen = focused !== null && !isClosed;
  const handleKey = (event: KeyboardEvent) => {
    const { current: api } = grid;
    const inCell = event.target instanceof HTMLElement && event.target.closest('.ag-cell') !== null;
    const key = inCell && !isTextInput(event.target) ? cellCommandOf(event) : null;
    if (!key || !api || !container.current || api.getEditingCells().length > 0) return;
    const enterNote = () => {
      const first = container.current?.querySelector<HTMLElement>('[data-testid="cell-note"] button');
      first?.focus();
      return first !== null && first !== undefined;
    };
    const closeNote = () => {
      const isShown = isOpen && container.current?.querySelector('[data-testid="cell-note"] > *') !== null;
      if (isShown) dismissNote();
      return isShown;
    };
    const isHandled = handleCellKey(key, { api, selection, view, filter, gridElement: container.current, select, onMenu, enterNote, closeNote });
    // The grid handles some of these keys differently.
    event.stopPropagation();
    if (isHandled) event.preventDefault();
  };
  const handlePaste = (event: ClipboardEvent) => {
    if (!isCellClipboardEvent(event) || !selection.range || !grid.current) return;
    event.preventDefault();
    const { clipboardData } = event;
    const [text, html] = [clipboardData.getData('text/plain'), clipboardData.getData('text/html')];
    if (text.length > MAX_CLIPBOARD_LENGTH) showWarningNotice(t('fix.tooMany', { most: MAX_CELLS }));
    else selection.actions?.paste(parseClipboard({ text, html }), selection.order, grid.current.getDisplayedRowCount(), select);
  };
  const handleCopy = (event: ClipboardEvent) => {
    if (!isCellClipboardEvent(event) || !selection.range) return;
    event.preventDefault();
    const { current: api } = grid;
    selection.actions?.copy(event.clipboardData, (index) => api?.getDisplayedRowAtIndex(index)?.data);
  };
  const showCell = useCallback(
    (to: CellPlace) => {
      grid.current?.ensureIndexVisible(to.index);
      grid.current?.ensureColumnVisible(String(to.column));
      select(rangeBetween(selection.order, to, to));
    },
    [select, selection],
  );
  useImperativeHandle(
    ref,
    () => ({
      goToProblem: async (forward) => {
        const { current: api } = grid;
        api?.stopEditing();
        const found = await commands.importFindProblem(view.id, filter, selection.range?.head ?? null, forward).catch(() => null);
        if (found && api) {
          // In the middle, there is room for the cell's note.
          api.ensureIndexVisible(found.cell.index, 'middle');
          moveToCell({ api, selection, select }, found.cell, false);
        }
        return found;
      },
    }),
    [view, filter, selection, select],
  );
  const endSearch = () => {
    setFindOpen(false);
    const to = selection.range?.anchor;
    if (to && grid.current) moveToCell({ api: grid.current, selection, select }, to, false);
  };
  return (
    <div
      ref={container}
      role="presentation"
      className={styles.grid}
      onMouseDownCapture={handleMouseDown}
      onKeyDownCapture={handleKey}
      onPaste={handlePaste}
      onCopy={handleCopy}
    >
      {problem && <ProblemNote problem={problem} />}
      {isFindOpen && <FindBar view={view} filter={filter} startCell={() => selection.range?.anchor ?? null} show={showCell} close={endSearch} />}
      <Grid
        label={t('check.grid', { sheet: view.sheet })}
        testId="grid-check"
        columns={columns}
        options={options}
        headerHeight={44}
        onReady={(api) => {
          grid.current = api;
          selection.update({ order: columnOrder(api) });
        }}
      />
      <CellNote
        view={view}
        focused={isOpen ? focused : null}
        help={help}
        actions={actions}
        gridContainer={container}
        close={dismissNote}
        focusCell={focusCell}
      />
    </div>
  );
}

/** Whether a clipboard event concerns cells instead of text in an editor. */
function isCellClipboardEvent(event: ClipboardEvent): boolean {
  return isClipboardField(event.target) || !isTextInput(event.target);
}
