import type { ColDef, ICellRendererParams, IHeaderParams } from 'ag-grid-community';
import type { TFunction } from 'i18next';

import { SeveritySign } from '../../components/Mark';
import type { ColumnView, GridRow, ImportView } from '../../ipc/bindings';
import { fieldName } from './matching';
import styles from './check.module.css';

type Cell = ICellRendererParams<GridRow>;
type Heading = IHeaderParams<GridRow> & { letter: string; field: string | null };

/** Excel's row number, then the file's columns with the field that each goes to. */
export function rowColumns(view: ImportView, language: string, t: TFunction): ColDef<GridRow>[] {
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
  return [number, ...view.columns.map((column) => fileColumn(view, column, language, t))];
}

function fileColumn(view: ImportView, column: ColumnView, language: string, t: TFunction): ColDef<GridRow> {
  const matched = column.matched ? fieldName(view.fields, column.matched.field, language) : null;
  return {
    colId: String(column.index),
    headerName: column.heading || t('columns.noHeading'),
    headerComponent: ColumnHeading,
    headerComponentParams: { letter: column.letter, field: matched },
    width: width(column),
    cellRenderer: FileCell,
    cellRendererParams: { index: column.index },
    cellClass: matched === null ? styles.unmatched : undefined,
    cellClassRules: {
      [styles.error ?? '']: ({ data }) => data?.cells[column.index]?.severity === 'error',
      [styles.warning ?? '']: ({ data }) => data?.cells[column.index]?.severity === 'warning',
      [styles.note ?? '']: ({ data }) => data?.cells[column.index]?.severity === 'note',
    },
  };
}

function RowNumber({ data }: Cell) {
  if (!data) return <span className={styles.skeleton} />;
  return (
    <span className={styles.cell}>
      {data.severity && <SeveritySign severity={data.severity} named />}
      <span className={styles.shown}>{data.row}</span>
    </span>
  );
}

function FileCell({ data, index }: Cell & { index: number }) {
  if (!data) return <span className={styles.skeleton} />;
  const cell = data.cells[index];
  if (!cell) return null;
  return (
    <span className={styles.cell}>
      <span className={styles.shown}>{cell.shown}</span>
      {cell.severity && <SeveritySign severity={cell.severity} named />}
    </span>
  );
}

function ColumnHeading({ displayName, letter, field }: Heading) {
  return (
    <span className={styles.heading}>
      <span>
        <code>{letter}</code> {displayName}
      </span>
      <span className={styles.target}>{field ? `→ ${field}` : ' '}</span>
    </span>
  );
}

/** Wide enough for the heading and the samples, within reason. */
function width(column: ColumnView): number {
  const longest = Math.max(column.heading.length + 3, ...column.samples.map((sample) => sample.length));
  return Math.min(280, Math.max(96, longest * 7.6 + 36));
}
