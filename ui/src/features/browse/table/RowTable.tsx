import { notifications } from '@mantine/notifications';
import type { CellKeyDownEvent, FullWidthCellKeyDownEvent, GridApi, GridOptions, IDatasource } from 'ag-grid-community';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation } from '@tanstack/react-query';

import { useColumnLinks } from '@/base/links/useValueLinks';
import { useDelayed } from '@/base/useDelayed';
import { useFormats } from '@/base/useFormats';
import { cellText, type Row, type FocusedRow, type TableRow, type CellFormats } from '@/base/values/cells';
import { useCellFormats } from '@/base/values/useCellFormats';
import { CopyButton } from '@/components/controls/CopyButton';
import { PlainGrid } from '@/components/grid/Grid';
import { TICK_SELECTION, useTickColumn } from '@/components/grid/tickColumn';
import { type PrintedTable, PrintTable } from '@/components/page/PrintTable';
import { type Arrangement, type Filter, type Operation, type SpanForm, type TableViews, commands } from '@/ipc/bindings';
import { assumedHint } from '@/base/provenance';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { copyText } from '@/ipc/clipboard';

import { ColumnPopover, type OpenColumn } from './ColumnPopover';
import { TableToolbar } from './TableToolbar';
import { type Counts, replaceRows, tableSource } from './tableSource';
import { layoutListeners, useOnChange, useColumnDefinitions, useRefreshOnGrowth, useViewLayout } from './useGridLayout';
import { useSelection } from './useSelection';
import { type Table, useTable } from './useTable';
import { useTableViews } from './useTableViews';
import styles from './table.module.css';
import { type TableColumn, tableColumns, cellValue } from './columns';
import { formatRows, loadRowsAsText, loadRows } from './clipboard';
import { visibleColumns } from './tableLayout';

/** Maximum number of printed rows. More can be exported. */
const MAX_PRINTED_ROWS = 2000;

type PrintInput = { title: string; set: number | null; table: Table; columns: readonly TableColumn[]; words: CellFormats & { spans: SpanForm }; ticked: readonly number[] };
type PrintControls = { paper: PrintedTable | null; print: () => void; isPrinting: boolean };

/** Prints the ticked rows, or else all visible rows, with the table's columns and formats. */
function usePrintRows({ title, set, table, columns, words, ticked }: PrintInput): PrintControls {
  const { t } = useTranslation();
  const { number, dateTime } = useFormats();
  const [paper, setPaper] = useState<PrintedTable | null>(null);
  const { arrangement, view } = table;
  useEffect(() => {
    const after = () => setPaper(null);
    window.addEventListener('afterprint', after);
    return () => window.removeEventListener('afterprint', after);
  }, []);
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      if (set === null) return;
      const chosen = new Set(ticked);
      const all = await commands.browsePositions(set, arrangement, 0, ALL_ROWS);
      const printedPositions = ticked.length > 0 ? all.filter((at) => chosen.has(at)) : all;
      const printedColumns = visibleColumns(columns, view.columns);
      const rows = await loadRows(set, printedPositions.slice(0, MAX_PRINTED_ROWS));
      const places = { count: printedPositions.length, rows: number(rows.length), of: number(printedPositions.length), time: dateTime(new Date().toISOString()) };
      setPaper({
        title,
        about: t(rows.length < printedPositions.length ? 'table.printedPart' : 'table.printed', places),
        head: printedColumns.map(({ label }) => label),
        rows: rows.map((row) => printedColumns.map((column) => cellText(cellValue(row, column), column.field, words))),
      });
      // The table must be rendered before the system reads the page.
      await new Promise((done) => setTimeout(done, 150));
      await commands.windowPrint();
    },
    onError: (error) => {
      setPaper(null);
      showProblemNotice(error);
    },
  });
  return { paper, print: mutate, isPrinting: isPending };
}

const ALL_ROWS = 4_000_000_000;

/** Returns the columns of an operation's rows, named in the window's language. */
function useTableColumns(operation: Operation, unknown: readonly string[]): TableColumn[] {
  const { t } = useTranslation();
  const { name } = useFormats();
  const members = unknown.join('\n');
  return useMemo(
    () =>
      tableColumns(operation, members === '' ? [] : members.split('\n'), {
        name,
        hint: (field) => assumedHint(field, t),
        unknownHint: t('browse.unknownField'),
      }),
    [operation, members, name, t],
  );
}

type Props = {
  operation: Operation;
  /** The ID of the set whose rows are shown, null until there is one. */
  set: number | null;
  /** The set's rows if they arrived with the page. */
  initialRows: readonly Row[] | null;
  /** Number of rows in the set. It grows while pages are read. */
  size: number;
  /** False if the set is one page of several. */
  isComplete: boolean;
  unknown: readonly string[];
  busy: boolean;
  /** The initial search text. */
  initialFind?: string | undefined;
  /** Whether a link opened the table with its own filters. Then stored filters don't apply. */
  isFromLink?: boolean;
  /** Called when the focused row changes. */
  onRow: (row: FocusedRow | null) => void;
  /** Called with the ticked rows' positions in the set. */
  onSelected?: (positions: number[]) => void;
  /** Called when sorting, filters or search change. */
  onArrangementChange?: (arrangement: Arrangement) => void;
};

/** A table of response rows, built from the contract's fields. It shows one page or all rows read. */
export function RowTable(props: Props) {
  const { views, store } = useTableViews(props.operation.id, props.isFromLink === true);
  return views ? <RowTableContent {...props} views={views} store={store} /> : null;
}

type SourceReport = { query: symbol; counts: Counts; unknown: string[] | null };
type SourceQuery = { set: number | null; initialRows: readonly Row[] | null; filters: readonly Filter[]; find: string };

/** The grid's data source, with the counts and unknown members that it reported. */
type TableSource = { source: IDatasource | undefined; counts: Counts | null; unknown: string[] | null };

/** Number of recent queries whose counts are stored. Responses may arrive out of order. */
const MAX_REPORTS = 4;

function useTableSource({ set, initialRows, filters, find }: SourceQuery): TableSource {
  const [reports, setReports] = useState<readonly SourceReport[]>([]);
  const currentQuery = useMemo(() => {
    if (set === null) return null;
    const query = Symbol('query');
    const report = (counts: Counts, unknown: string[] | null) =>
      setReports((all) => {
        const next = { query, counts, unknown };
        const others = all.filter((one) => one.query !== query);
        // Every block reports the same values, so render only on a change.
        return all.length > others.length && all.some((one) => isSameQuery(one, next)) ? all : [...others, next].slice(-MAX_REPORTS);
      });
    return { query, source: tableSource({ set, initialRows, filters, find, onCounts: report }) };
  }, [set, initialRows, filters, find]);
  const answer = reports.find((one) => one.query === currentQuery?.query);
  const isUnfiltered = filters.length === 0 && find === '';
  const initialCounts = useMemo(() => (isUnfiltered && initialRows ? { shown: initialRows.length, of: initialRows.length } : null), [isUnfiltered, initialRows]);
  return { source: currentQuery?.source, counts: answer?.counts ?? initialCounts, unknown: answer?.unknown ?? null };
}

function isSameQuery(one: SourceReport, other: SourceReport): boolean {
  return (
    one.query === other.query &&
    one.counts.shown === other.counts.shown &&
    one.counts.of === other.counts.of &&
    one.unknown?.join('\n') === other.unknown?.join('\n')
  );
}

/** The data source before the first read. */
const EMPTY_SOURCE: IDatasource = { getRows: ({ successCallback }) => successCallback([], 0) };

/**
 * Returns one data source for the grid's lifetime. The rows of a page replace the previous page's rows without an empty state in
 * between. `unchangedRows` has the page's rows if the table neither sorts nor filters them, or else null.
 */
function useStableSource(api: GridApi<TableRow> | null, source: IDatasource | null, page: boolean, unchangedRows: readonly Row[] | null): IDatasource | undefined {
  const now = useRef<{ source: IDatasource; page: boolean } | null>(null);
  const [stableSource] = useState<IDatasource>(() => ({ getRows: (parameters) => now.current?.source.getRows(parameters) }));
  const [hasSource, setHasSource] = useState(false);
  if (source && !hasSource) setHasSource(true);
  useLayoutEffect(() => {
    if (!source || now.current?.source === source) return;
    const before = now.current;
    now.current = { source, page };
    if (!api || !before) return;
    // Scrolling comes before rendering the new rows, because it needs no layout then.
    if (api.getDisplayedRowCount() > 0) api.ensureIndexVisible(0, 'top');
    if (page && before.page) {
      if (!unchangedRows || !replaceRows(api, unchangedRows)) api.refreshInfiniteCache();
    } else api.purgeInfiniteCache();
  }, [api, source, page, unchangedRows]);
  return hasSource ? stableSource : undefined;
}

/** Maximum number of copied rows. More can be exported. */
const MAX_COPIED_ROWS = 20_000;

type CopyActions = {
  /** Copies the ticked rows, or else all visible rows. */
  copyRows: () => void;
  /** Copies the ticked rows, or else the focused cell. */
  copySelection: () => void;
};

/** Copies rows or a cell as text for spreadsheets. */
function useCopyRows(api: GridApi<TableRow> | null, set: number | null, table: Table, columns: readonly TableColumn[], words: ReturnType<typeof useCellFormats>, ticked: readonly number[]): CopyActions {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { arrangement, view } = table;
  const copyRows = useCallback(() => {
    if (set === null) return;
    const form = { columns: visibleColumns(columns, view.columns), words };
    const gridRows = ticked.length > 0 ? loadedRows(api, ticked) : null;
    let count = gridRows?.length ?? 0;
    const confirmSize = async () => {
      // The positions are in display order.
      const visiblePositions = await commands.browsePositions(set, arrangement, 0, ticked.length > 0 ? ALL_ROWS : MAX_COPIED_ROWS);
      const chosen = new Set(ticked);
      const positions = ticked.length > 0 ? visiblePositions.filter((at) => chosen.has(at)).slice(0, MAX_COPIED_ROWS) : visiblePositions;
      count = positions.length;
      return loadRowsAsText(set, positions, form);
    };
    const text = gridRows ? formatRows(gridRows, form) : confirmSize();
    const notice = { closeButtonProps: { 'aria-label': t('common.close') } };
    const finish = async () => {
      const done = await copyText(text);
      const message = t('table.copied', { count, rows: number(count) });
      if (done) notifications.show({ ...notice, message: message });
      else notifications.show({ ...notice, autoClose: false, message: <CopyButton wide value={await text} label={t('table.copyNow', { count, rows: number(count) })} /> });
    };
    finish().catch(showProblemNotice);
  }, [api, set, arrangement, view.columns, ticked, columns, words, number, t]);
  const copySelection = useCallback(() => {
    if (ticked.length > 0) return copyRows();
    const cell = api?.getFocusedCell();
    const node = cell && api?.getDisplayedRowAtIndex(cell.rowIndex);
    if (!api || !cell || !node) return;
    void copyText(String(api.getCellValue({ rowNode: node, colKey: cell.column }) ?? ''));
  }, [api, ticked, copyRows]);
  return { copyRows, copySelection };
}

/** Returns the ticked rows in display order, if the grid has loaded all of them. */
function loadedRows(api: GridApi<TableRow> | null, ticked: readonly number[]): Row[] | null {
  const positions = new Set(ticked);
  const copied: { at: number; row: Row }[] = [];
  api?.forEachNode(({ data, rowIndex }) => {
    if (data && rowIndex !== null && positions.has(data.position)) copied.push({ at: rowIndex, row: data.row });
  });
  return copied.length === ticked.length ? copied.toSorted((a, b) => a.at - b.at).map(({ row }) => row) : null;
}

type RowTableContentProps = Props & { views: TableViews; store: Parameters<typeof useTable>[1] };

function RowTableContent({ operation, set, initialRows, size, isComplete, unknown, busy, initialFind, onRow, onSelected, onArrangementChange, views, store }: RowTableContentProps) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const [api, setApi] = useState<GridApi<TableRow> | null>(null);
  const [opened, setOpened] = useState<OpenColumn | null>(null);
  const table = useTable(views, store, initialFind ?? '');
  const { sort, filters, find: debouncedFind } = table.arrangement;
  const { source, counts, unknown: reportedUnknown } = useTableSource({ set, initialRows, filters, find: debouncedFind });
  const isUnchanged = sort.length === 0 && filters.length === 0 && debouncedFind === '';
  const stableSource = useStableSource(api, source ?? (busy ? null : EMPTY_SOURCE), initialRows !== null, isUnchanged ? initialRows : null);
  const columns = useTableColumns(operation, reportedUnknown ?? unknown);
  const words = useCellFormats(table.view.spans);
  const selection = useSelection(api, set, table.arrangement, onSelected ?? noop);
  const copy = useCopyRows(api, set, table, columns, words, selection.positions);
  const printing = usePrintRows({ title: name(operation), set, table, columns, words, ticked: selection.positions });
  const open = useCallback(
    (path: string, at: Element) => {
      const column = columns.find((one) => one.path === path);
      const { left, bottom } = at.getBoundingClientRect();
      if (column) setOpened({ column, at: { left, top: bottom } });
    },
    [columns],
  );
  const places = useColumnLinks(operation);
  const definitions = useColumnDefinitions({ columns, words, table, key: operation.key, open, places });
  useViewLayout(api, table, columns, operation.key);
  useEffect(() => onArrangementChange?.({ sort: [], filters, find: debouncedFind }), [onArrangementChange, filters, debouncedFind]);
  useRefreshOnGrowth(api, size, set);
  useOnChange(source, selection.selectNone);
  useOnChange(set, useCallback(() => onRow(null), [onRow]));
  const tickColumn = useTickColumn<TableRow>();
  const all = useMemo(() => [tickColumn, ...definitions], [tickColumn, definitions]);
  const paths = useMemo(() => new Set(columns.map(({ path }) => path)), [columns]);
  const options: GridOptions<TableRow> = {
    ...BASE_OPTIONS,
    datasource: stableSource,
    loading: useDelayed(busy && set === null),
    onCellFocused: ({ rowIndex, column, api: grid }) => {
      if (typeof column !== 'object' || !column || !paths.has(column.getColId())) return;
      const position = grid.getDisplayedRowAtIndex(rowIndex ?? -1)?.data?.position;
      onRow(position === undefined ? null : { position, path: column.getColId() });
    },
    onSelectionChanged: ({ api: grid }) => selection.handleSelectionChange(grid),
    onModelUpdated: ({ api: grid }) => selection.handleRowsRendered(grid),
    onCellKeyDown: (event) => handleTableKey(event, copy.copySelection, selection.selectAll),
    ...layoutListeners(paths, table),
  };
  return (
    <div className={styles.frame}>
      <TableToolbar list={operation.id} {...{ table, columns, api, set, isComplete, selection, open }} copy={copy.copyRows} print={printing.print} counts={counts} />
      <div className={styles.rows} onClickCapture={selection.handleClick}>
        <PlainGrid label={t('browse.grid', { operation: name(operation) })} testId="grid-browse" columns={all} options={options} onReady={setApi} />
      </div>
      <PrintTable table={printing.paper} />
      {opened && <ColumnPopover opened={opened} close={() => setOpened(null)} table={table} api={api} set={set} />}
    </div>
  );
}

function noop(): void {}

const BASE_OPTIONS: GridOptions<TableRow> = {
  rowModelType: 'infinite',
  cacheBlockSize: 200,
  maxBlocksInCache: 20,
  maintainColumnOrder: true,
  getRowId: ({ data }) => String(data.position),
  rowSelection: TICK_SELECTION,
};

function handleTableKey({ event, api, node }: CellKeyDownEvent<TableRow> | FullWidthCellKeyDownEvent<TableRow>, copy: () => void, all: () => void): void {
  if (!(event instanceof KeyboardEvent)) return;
  // Enter follows a link in the cell.
  if (event.key === 'Enter' && event.target instanceof Element) event.target.querySelector<HTMLElement>('.cell-link')?.click();
  if (!event.ctrlKey && !event.metaKey) return;
  if (event.key === 'c' && !window.getSelection()?.toString()) {
    event.preventDefault();
    copy();
  }
  if (event.key === 'a' && api.getDisplayedRowCount() > 0 && node) {
    event.preventDefault();
    all();
  }
}
