import { IconPencil } from '@tabler/icons-react';
import type { CellClassParams, ColDef, ICellRendererParams, IHeaderParams, SortDirection } from 'ag-grid-community';
import type { TFunction } from 'i18next';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { findingText } from '@/base/engineTexts';
import { SeveritySign } from '@/components/marks/StatusMarks';
import type { ColumnView, GridRow, ImportView } from '@/ipc/bindings';
import { fieldName } from '../../common/fieldNames';
import { type Mark, MARK_NAMES, MARK_RULES } from './selectionMarks';
import type { GridSelection } from './gridSelection';
import styles from './cells.module.css';

type Cell = ICellRendererParams<GridRow>;
type Heading = IHeaderParams<GridRow> & { letter: string; field: string | null };

/** Returns a key that changes when the columns must be rebuilt. */
export function columnsKey(view: ImportView): string {
  const columns = view.columns.map((column) => [column.heading, column.matched?.field]);
  return JSON.stringify([view.id, view.sheet, view.headerRow, view.operation, columns, view.rejectedRows > 0]);
}

/** Returns the columns: Excel's row number, then the file's columns with their fields. */
export function rowColumns(view: ImportView, language: string, t: TFunction, selection: GridSelection): ColDef<GridRow>[] {
  const number: ColDef<GridRow> = {
    colId: 'row',
    headerName: t('check.row'),
    pinned: 'left',
    width: 76,
    lockPosition: true,
    resizable: false,
    cellClass: styles.rowNumber,
    cellRenderer: RowNumber,
  };
  const rejected: ColDef<GridRow> = {
    colId: 'rejected',
    headerName: t('check.rejectedReason'),
    width: 260,
    valueGetter: ({ data }) => data?.rejected.join(' · ') ?? '',
    tooltipValueGetter: ({ data }) => data?.rejected.join(' · ') ?? null,
  };
  const columns = view.columns.map((column) => fileColumn(view, column, language, t, selection));
  return view.rejectedRows > 0 ? [number, rejected, ...columns] : [number, ...columns];
}

function fileColumn(view: ImportView, column: ColumnView, language: string, t: TFunction, selection: GridSelection): ColDef<GridRow> {
  const matched = column.matched ? fieldName(view.fields, column.matched.field, language) : null;
  const cell = (data: GridRow | undefined) => data?.cells[column.index];
  return {
    colId: String(column.index),
    headerName: column.heading || t('columns.noHeading'),
    headerComponent: ColumnHeading,
    headerComponentParams: { letter: column.letter, field: matched },
    width: columnWidth(column),
    sortable: true,
    valueGetter: ({ data }) => cell(data)?.shown ?? '',
    editable: ({ data }) => data !== undefined,
    cellEditor: 'agTextCellEditor',
    tooltipValueGetter: ({ data, node }) => {
      if (!data || node?.rowIndex === undefined) return null;
      // The focused cell shows its findings in a note, so it has no tooltip.
      const { anchor } = selection.range ?? {};
      if (anchor?.column === column.index && anchor.index === node.rowIndex) return null;
      return cellReasons(data, column, t).join(' · ') || null;
    },
    cellRenderer: FileCell,
    cellRendererParams: { index: column.index },
    cellClass: matched === null ? styles.unmatched : undefined,
    cellClassRules: {
      [styles.error ?? '']: ({ data }) => cell(data)?.severity === 'error',
      [styles.warning ?? '']: ({ data }) => cell(data)?.severity === 'warning',
      [styles.note ?? '']: ({ data }) => cell(data)?.severity === 'note',
      [styles.edited ?? '']: ({ data }) => (cell(data)?.was ?? null) !== null,
      ...Object.fromEntries(MARK_NAMES.map((name) => [styles[name] ?? '', hasMark(name, column.index, selection)])),
    },
  };
}

function hasMark(name: Mark, column: number, selection: GridSelection): (params: CellClassParams<GridRow>) => boolean {
  return ({ node }) => MARK_RULES[name](selection, column, node.rowIndex);
}

/** Returns a cell's findings, and its original text if it was changed. */
export function cellReasons(row: GridRow, column: ColumnView, t: TFunction): string[] {
  const found = row.findings.filter((one) => one.column === column.letter).map(findingText);
  const was = row.cells[column.index]?.was ?? null;
  if (was === null) return found;
  return [...found, was ? t('check.was', { value: was }) : t('check.wasEmpty')];
}

function RowNumber({ data }: Cell) {
  const { t } = useTranslation();
  if (!data) return <span className={styles.skeleton} />;
  return (
    <span className={styles.cell}>
      {data.severity && <SeveritySign severity={data.severity} withLabel />}
      {data.excluded && <span aria-hidden>–</span>}
      <span className={styles.shown}>{data.row}</span>
      {data.excluded && <span className="hidden">{t('check.rowOut')}</span>}
    </span>
  );
}

function FileCell({ data, index }: Cell & { index: number }) {
  const { t } = useTranslation();
  if (!data) return <span className={styles.skeleton} />;
  const cell = data.cells[index];
  if (!cell) return null;
  return (
    <span className={styles.cell}>
      <span className={styles.shown}>{cell.shown}</span>
      {cell.was !== null && (
        <>
          <IconPencil className={styles.pencil} size={12} aria-hidden />
          <span className="hidden">{t('check.edited')}</span>
        </>
      )}
      {cell.severity && <SeveritySign severity={cell.severity} withLabel />}
    </span>
  );
}

/** A column header. A click sorts ascending, then descending, then in file order. */
function ColumnHeading({ displayName, letter, field, column, progressSort }: Heading) {
  const [sort, setSort] = useState<SortDirection>(column.getSort() ?? null);
  useEffect(() => {
    const follow = () => setSort(column.getSort() ?? null);
    column.addEventListener('sortChanged', follow);
    return () => column.removeEventListener('sortChanged', follow);
  }, [column]);
  return (
    <span className={styles.heading} role="presentation" onClick={() => progressSort(false)}>
      <span>
        <code>{letter}</code> {displayName}
        {sort && <span aria-hidden> {sort === 'asc' ? '↑' : '↓'}</span>}
      </span>
      <span className={styles.target}>{field ? `→ ${field}` : ' '}</span>
    </span>
  );
}

/** Returns a column width that fits the heading and samples, within limits. */
function columnWidth(column: ColumnView): number {
  const longest = Math.max(column.heading.length + 3, ...column.samples.map((sample) => sample.length));
  return Math.min(280, Math.max(96, longest * 7.6 + 36));
}
