import type { GridApi } from 'ag-grid-community';
import { type ClipboardEvent, type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { Grid } from '@/components/grid/Grid';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { showWarningNotice } from '@/components/notices/warningNotice';
import { usePageKeys } from '@/components/page/pageKeys';
import type { CellHelp, CellPlace, GridRow, ImportView, RowFilter, RowSort } from '@/ipc/bindings';
import { CellNote } from './CellNote';
import { FindBar } from './FindBar';
import type { Actions, Place } from './actions';
import { cellKey, isWriting } from './cellKeys';
import { type FocusedCell, type Range, rangeBetween, MAX_CELLS } from './cellRange';
import { isClipboardField } from './clipboardKeys';
import { parseClipboard, MAX_CLIPBOARD_LENGTH } from './clipboardText';
import { GridSelection } from './gridSelection';
import { moveTo, handleCellKey } from './handleCellKey';
import { rowColumns, columnsKey } from './rowColumns';
import { paintSelection } from './selectionMarks';
import { useCellDrag } from './useCellDrag';
import { columnOrder, useRowOptions } from './useRowOptions';
import styles from './cells.module.css';

type Props = {
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
  onMenu: (place: Place) => void;
};

/** The sheet's rows with Excel's row numbers. They are loaded block by block and can be edited. */
export function RowsGrid({ view, filter, focused, range, help, actions, actionsOf, onFocus, onRange, onSort, onTotal, onMenu }: Props) {
  const { t, i18n } = useTranslation();
  const container = useRef<HTMLDivElement>(null);
  const grid = useRef<GridApi<GridRow> | null>(null);
  const [shared] = useState(() => new GridSelection());
  const [finds, setFinds] = useState(false);
  const [closed, setClosed] = useState<FocusedCell | null>(null);
  const form = `${columnsKey(view)}${i18n.language}`;
  // Fixes don't rebuild the columns, because the user may have changed their widths and order.
  const [columns, setColumns] = useState(() => rowColumns(view, i18n.language, t, shared));
  const [formed, setFormed] = useState(form);
  if (formed !== form) {
    setFormed(form);
    setColumns(rowColumns(view, i18n.language, t, shared));
  }
  const show = useCallback(() => paintSelection(container.current, shared, styles), [shared]);
  const select = useCallback(
    (next: Range | null) => {
      // The next key may be pressed before the render, so the selection is updated at once.
      shared.take({ range: next });
      show();
      onRange(next);
    },
    [shared, show, onRange],
  );
  useEffect(() => {
    shared.take({ actionsOf });
  }, [shared, actionsOf]);
  useEffect(() => {
    // Keys and clicks update the selection at once. Only a selection that is cleared elsewhere must be updated here.
    if (range !== null) return;
    shared.take({ range: null });
    show();
  }, [shared, show, range]);
  const { options, problem } = useRowOptions({ view, filter, grid, shared, select, onFocus, onSort, onTotal, onMenu });
  const press = useCellDrag({ container, grid, shared, select, show });
  usePageKeys((event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== 'f') return;
    event.preventDefault();
    setFinds(true);
    container.current?.querySelector<HTMLElement>('[data-testid="find-text"]')?.focus();
  });
  const leave = useCallback(() => {
    const cell = grid.current?.getFocusedCell();
    if (cell) grid.current?.setFocusedCell(cell.rowIndex, cell.column);
  }, []);
  const close = useCallback(() => setClosed(focused), [focused]);
  const isClosed = closed !== null && closed.row.row === focused?.row.row && closed.column === focused.column;
  // A closed note is shown again when its cell is focused again.
  if (closed !== null && focused !== null && !isClosed) setClosed(null);
  const isOpen = focused !== null && !isClosed;
  const handleKey = (event: KeyboardEvent) => {
    const { current: api } = grid;
    const inCell = event.target instanceof HTMLElement && event.target.closest('.ag-cell') !== null;
    const key = inCell && !isWriting(event.target) ? cellKey(event) : null;
    if (!key || !api || !container.current || api.getEditingCells().length > 0) return;
    const enterNote = () => {
      const first = container.current?.querySelector<HTMLElement>('[data-testid="cell-note"] button');
      first?.focus();
      return first !== null && first !== undefined;
    };
    const closeNote = () => {
      const isShown = isOpen && container.current?.querySelector('[data-testid="cell-note"] > *') !== null;
      if (isShown) close();
      return isShown;
    };
    const taken = handleCellKey(key, { api, shared, view, filter, gridElement: container.current, select, onMenu, enterNote, closeNote });
    // The grid handles some of these keys differently.
    event.stopPropagation();
    if (taken) event.preventDefault();
  };
  const handlePaste = (event: ClipboardEvent) => {
    if (!isCellClipboardEvent(event) || !shared.range || !grid.current) return;
    event.preventDefault();
    const { clipboardData } = event;
    const [text, html] = [clipboardData.getData('text/plain'), clipboardData.getData('text/html')];
    if (text.length > MAX_CLIPBOARD_LENGTH) showWarningNotice(t('fix.tooMany', { most: MAX_CELLS }));
    else shared.actions?.paste(parseClipboard({ text, html }), shared.order, grid.current.getDisplayedRowCount(), select);
  };
  const handleCopy = (event: ClipboardEvent) => {
    if (!isCellClipboardEvent(event) || !shared.range) return;
    event.preventDefault();
    const { current: api } = grid;
    shared.actions?.copy(event.clipboardData, (index) => api?.getDisplayedRowAtIndex(index)?.data);
  };
  const lookAt = useCallback(
    (to: CellPlace) => {
      grid.current?.ensureIndexVisible(to.index);
      grid.current?.ensureColumnVisible(String(to.column));
      select(rangeBetween(shared.order, to, to));
    },
    [select, shared],
  );
  const endSearch = () => {
    setFinds(false);
    const to = shared.range?.anchor;
    if (to && grid.current) moveTo({ api: grid.current, shared, select }, to, false);
  };
  return (
    <div
      ref={container}
      role="presentation"
      className={styles.grid}
      onMouseDownCapture={press}
      onKeyDownCapture={handleKey}
      onPaste={handlePaste}
      onCopy={handleCopy}
    >
      {problem && <ProblemNote problem={problem} />}
      {finds && <FindBar view={view} filter={filter} from={() => shared.range?.anchor ?? null} show={lookAt} close={endSearch} />}
      <Grid
        label={t('check.grid', { sheet: view.sheet })}
        testId="grid-check"
        columns={columns}
        options={options}
        headerHeight={44}
        onReady={(api) => {
          grid.current = api;
          shared.take({ order: columnOrder(api) });
        }}
      />
      <CellNote
        view={view}
        focused={isOpen ? focused : null}
        help={help}
        actions={actions}
        gridContainer={container}
        close={close}
        leave={leave}
      />
    </div>
  );
}

/** Whether a clipboard event concerns cells instead of text in an editor. */
function isCellClipboardEvent(event: ClipboardEvent): boolean {
  return isClipboardField(event.target) || !isWriting(event.target);
}
