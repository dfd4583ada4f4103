import type { CellKeyDownEvent, FullWidthCellKeyDownEvent, GridApi, GridOptions } from 'ag-grid-community';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useColumnLinks } from '@/base/links/useValueLinks';
import { useDelayed } from '@/base/useDelayed';
import { useFormats } from '@/base/useFormats';
import type { Row, RowPlace, TableRow } from '@/base/values/cells';
import { useCellWords } from '@/base/values/useCellWords';
import { PlainGrid } from '@/components/grid/Grid';
import { ticks, useTickColumn } from '@/components/grid/tickColumn';
import { PrintTable } from '@/components/page/PrintTable';
import type { Arrangement, Operation, TableViews } from '@/ipc/bindings';
import { ColumnPopover, type Opened } from './ColumnPopover';
import { TableToolbar } from './TableToolbar';
import { useCopyRows } from './useCopyRows';
import { keeping, useChanged, useDefinitions, useFollow, useLook } from './useGridLook';
import { usePrintRows } from './usePrintRows';
import { useSelection } from './useSelection';
import { useTable } from './useTable';
import { useTableColumns } from './useTableColumns';
import { noRows, useTableSource, useSteady } from './useTableSource';
import { useTableViews } from './useTableViews';
import styles from './table.module.css';

type Props = {
  operation: Operation;
  /** The set whose rows are shown; null while there is none yet. */
  set: number | null;
  /** Rows of the set that came with the page already. */
  first: readonly Row[] | null;
  /** Rows that the set has by now: where more come, the table follows. */
  size: number;
  /** False where the set is one page of more. */
  whole: boolean;
  unknown: readonly string[];
  busy: boolean;
  /** A text to begin with in the search. */
  find?: string | undefined;
  /** True where a person was sent here to see certain rows: no filter of an earlier time hides them. */
  fresh?: boolean;
  /** Where a person stands. */
  onRow: (row: RowPlace | null) => void;
  /** The rows that a person ticked, by their positions in the set. */
  onSelected?: (positions: number[]) => void;
  /** Which of the rows are shown, as a person filters and searches. */
  onArranged?: (arrangement: Arrangement) => void;
};

/** An answer's rows, generic from the contract's fields: one page, or everything that was read. */
export function RowTable(props: Props) {
  const { views, store: keep } = useTableViews(props.operation.id, props.fresh === true);
  return views ? <ArrangedRows {...props} views={views} keep={keep} /> : null;
}

type ArrangedProps = Props & { views: TableViews; keep: Parameters<typeof useTable>[1] };

function ArrangedRows({ operation, set, first, size, whole, unknown, busy, find, onRow, onSelected, onArranged, views, keep }: ArrangedProps) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const [api, setApi] = useState<GridApi<TableRow> | null>(null);
  const [opened, setOpened] = useState<Opened | null>(null);
  const table = useTable(views, keep, find ?? '');
  const { sort, filters, find: settled } = table.arrangement;
  const { source, counts, unknown: met } = useTableSource({ set, first, filters, find: settled });
  const isAsGiven = sort.length === 0 && filters.length === 0 && settled === '';
  const steady = useSteady(api, source ?? (busy ? null : noRows), first !== null, isAsGiven ? first : null);
  const columns = useTableColumns(operation, met ?? unknown);
  const words = useCellWords(table.view.spans);
  const selection = useSelection(api, set, table.arrangement, onSelected ?? nothing);
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
  const definitions = useDefinitions({ columns, words, table, key: operation.key, open, places });
  useLook(api, table, columns, operation.key);
  useEffect(() => onArranged?.({ sort: [], filters, find: settled }), [onArranged, filters, settled]);
  useFollow(api, size, set);
  useChanged(source, selection.none);
  useChanged(set, useCallback(() => onRow(null), [onRow]));
  const tickColumn = useTickColumn<TableRow>();
  const all = useMemo(() => [tickColumn, ...definitions], [tickColumn, definitions]);
  const paths = useMemo(() => new Set(columns.map(({ path }) => path)), [columns]);
  const options: GridOptions<TableRow> = {
    ...plain,
    datasource: steady,
    loading: useDelayed(busy && set === null),
    onCellFocused: ({ rowIndex, column, api: grid }) => {
      if (typeof column !== 'object' || !column || !paths.has(column.getColId())) return;
      const position = grid.getDisplayedRowAtIndex(rowIndex ?? -1)?.data?.position;
      onRow(position === undefined ? null : { position, path: column.getColId() });
    },
    onSelectionChanged: ({ api: grid }) => selection.changed(grid),
    onModelUpdated: ({ api: grid }) => selection.drawn(grid),
    onCellKeyDown: (event) => pressed(event, copy.there, selection.all),
    ...keeping(paths, table),
  };
  return (
    <div className={styles.frame}>
      <TableToolbar list={operation.id} {...{ table, columns, api, set, whole, selection, open }} copy={copy.rows} print={printing.print} counts={counts} />
      <div className={styles.rows} onClickCapture={selection.pressed}>
        <PlainGrid label={t('browse.grid', { operation: name(operation) })} testId="grid-browse" columns={all} options={options} onReady={setApi} />
      </div>
      <PrintTable table={printing.paper} />
      {opened && <ColumnPopover opened={opened} close={() => setOpened(null)} table={table} api={api} set={set} />}
    </div>
  );
}

function nothing(): void {}

const plain: GridOptions<TableRow> = {
  rowModelType: 'infinite',
  cacheBlockSize: 200,
  maxBlocksInCache: 20,
  maintainColumnOrder: true,
  getRowId: ({ data }) => String(data.position),
  rowSelection: ticks,
};

function pressed({ event, api, node }: CellKeyDownEvent<TableRow> | FullWidthCellKeyDownEvent<TableRow>, copy: () => void, all: () => void): void {
  if (!(event instanceof KeyboardEvent)) return;
  // Enter follows a cell that leads somewhere.
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
