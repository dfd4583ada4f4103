import type { CellClassParams, ColDef, GridOptions, ICellRendererParams, IDatasource } from 'ag-grid-community';
import type { TFunction } from 'i18next';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { splitPath } from '@/base/values/previewFields';
import { Grid } from '@/components/grid/Grid';
import { KindMark } from '@/components/marks/KindMark';
import { ProblemNote } from '@/components/notices/ProblemNote';
import {
  type ImportView,
  type PreviewField,
  type PreviewFilter,
  type PreviewKind,
  type PreviewRow,
  type PreviewStep,
  type PreviewView,
  type Problem,
  type SheetColumn,
  commands,
} from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { fieldName } from '../common/fieldNames';
import { ErrorTexts } from './ErrorTexts';
import { FieldChange, FieldValues, toDeletedField } from './FieldChange';
import styles from './preview.module.css';

type Props = {
  view: ImportView;
  preview: PreviewView;
  step: number;
  filter: PreviewFilter;
  onRow: (row: PreviewRow | null) => void;
};

/** A previewed item with the cells of its first row in the file. Null if that row is on another sheet. */
type RowWithCells = { item: PreviewRow; cells: string[] | null };

type GridContext = { view: ImportView; deletes: boolean };

/** The workbook's columns, and the first rows, which determine the columns' widths. */
type SheetLayout = { columns: SheetColumn[]; rows: RowWithCells[] };

/** Rows with their outcomes in the workbook's own columns, loaded block by block. Changed cells show the old and the new value. */
export function PreviewGrid({ view, preview, step: index, filter, onRow }: Props) {
  const { t, i18n } = useTranslation();
  const step = preview.steps[index];
  const deletes = step?.deletes ?? false;
  const [problem, setProblem] = useState<Problem | null>(null);
  const [total, setTotal] = useState<number | null>(null);
  const [layout, setLayout] = useState<SheetLayout | null>(null);
  const columns = useMemo(
    () => (step && layout ? gridColumns({ step, kind: filter.kind, layout, view, language: i18n.language, t }) : []),
    [step, filter.kind, layout, view, i18n.language, t],
  );
  const datasource = useMemo<IDatasource>(
    () => ({
      getRows: ({ startRow, endRow, successCallback, failCallback }) => {
        readRows(preview, index, filter, startRow, endRow - startRow).then(
          (page) => {
            setProblem(null);
            setTotal(page.total);
            // Later pages don't change the widths, because columns that move while the user scrolls are hard to read.
            setLayout((before) => before ?? page);
            successCallback(page.rows, page.total);
          },
          (cause: unknown) => {
            setProblem(toProblem(cause));
            failCallback();
          },
        );
      },
    }),
    [preview, index, filter],
  );
  const options = useMemo<GridOptions<RowWithCells>>(
    () => ({
      rowModelType: 'infinite',
      suppressNoRowsOverlay: true,
      cacheBlockSize: 200,
      maxBlocksInCache: 20,
      context: { view, deletes },
      rowClassRules: {
        [styles.created ?? '']: ({ data }) => data?.item.kind === 'new',
        [styles.unchanged ?? '']: ({ data }) => data?.item.kind === 'same',
      },
      onCellFocused: ({ rowIndex, api }) => {
        onRow(rowIndex === null ? null : (api.getDisplayedRowAtIndex(rowIndex)?.data?.item ?? null));
      },
    }),
    [onRow, view, deletes],
  );
  return (
    <div className={styles.grid}>
      {problem && <ProblemNote problem={problem} />}
      {total === 0 && (
        <p className={styles.nothing} role="status">
          {t(filter.kind === null && filter.text === '' ? 'preview.nothing' : 'preview.none')}
        </p>
      )}
      <Grid label={t('preview.grid')} testId="grid-preview" columns={columns} options={{ ...options, datasource }} />
    </div>
  );
}

type RowsPage = { columns: SheetColumn[]; rows: RowWithCells[]; total: number };

/** Reads previewed items, and the cells of their first rows. */
async function readRows(preview: PreviewView, step: number, filter: PreviewFilter, offset: number, limit: number): Promise<RowsPage> {
  const { rows, total } = await commands.previewRows(preview.import, step, filter, offset, limit);
  const sheet = preview.steps[step]?.sheet ?? '';
  const numbers = rows.map(({ row }) => row);
  const cells = await commands.importSheetRows(preview.import, sheet, numbers);
  const withCells = rows.map((item, index) => ({ item, cells: item.sheet === sheet ? (cells.rows[index] ?? null) : null }));
  return { columns: cells.columns, rows: withCells, total };
}

type ColumnsOf = { step: PreviewStep; kind: PreviewKind | null; layout: SheetLayout; view: ImportView; language: string; t: TFunction };

/** Returns the columns: what would happen, Excel's row number, why a row isn't sent, the workbook's columns, and changes of other fields. */
function gridColumns({ step, kind, layout, view, language, t }: ColumnsOf): ColDef<RowWithCells>[] {
  const shown = new Set(layout.columns.flatMap(({ fields }) => fields));
  const isShown = (field: string) => shown.has(splitPath(field).field);
  const keys = new Set(view.fields.filter(({ key }) => key).map(({ path }) => path));
  const isKey = ({ fields }: SheetColumn) => step.operation === view.operation && fields.some((field) => keys.has(field));
  const hasReasons = kind === 'blocked' || kind === 'unknown';
  const widths = columnWidths(view, layout);
  const hasOthers = step.fields.some(({ field }) => !isShown(field));
  return [
    { colId: 'kind', headerName: t('preview.what'), width: 124, pinned: 'left', cellRenderer: KindCell },
    { colId: 'row', headerName: t('submission.row'), width: 64, pinned: 'left', valueGetter: ({ data }) => data?.item.row, cellClass: styles.rowNumber },
    ...(hasReasons ? [{ colId: 'reason', headerName: t('preview.reason'), width: 320, cellRenderer: ReasonCell }] : []),
    ...layout.columns.map((column, index): ColDef<RowWithCells> => ({
      colId: column.letter,
      headerName: column.heading || t('columns.noHeading'),
      headerTooltip: column.fields.map((field) => fieldName(view.fields, field, language)).join(', ') || t('columns.notImported'),
      width: widths[index] ?? MIN_WIDTH,
      // The key says which entry a row is, so it stays visible.
      pinned: isKey(column) ? 'left' : undefined,
      cellRenderer: FileCell,
      cellRendererParams: { column, index },
      cellClass: column.fields.length === 0 ? styles.unmatched : undefined,
      cellClassRules: {
        [styles.changed ?? '']: ({ data }) => hasChange(data, column),
        [styles.inConflict ?? '']: ({ data }) => hasConflict(data, column),
        [styles.failed ?? '']: ({ data }: CellClassParams<RowWithCells>) => hasError(data, column),
      },
    })),
    ...(hasOthers ? [{ colId: 'others', headerName: t('preview.otherChanges'), flex: 1, minWidth: 240, cellRenderer: OthersCell, cellRendererParams: { isShown } }] : []),
  ];
}

const MIN_WIDTH = 72;
const MAX_WIDTH = 280;
/** The width of a character and of a cell's padding in pixels. */
const CHARACTER_WIDTH = 8.2;
const CELL_PADDING = 34;
/** The number of characters of a formatted date with its time. */
const DATE_LENGTH = 18;
const DATE_KINDS = new Set(['date-time']);

/** Returns widths that fit the headings and the texts of the first rows, within limits. */
function columnWidths(view: ImportView, { columns, rows }: SheetLayout): number[] {
  return columns.map((column, index) => {
    const dates = hasKind(view, column, DATE_KINDS) ? DATE_LENGTH : 0;
    const lengths = rows.map(({ item, cells }) => {
      const change = isCompared(item) ? changesIn(item, column)[0] : undefined;
      return (cells?.[index]?.length ?? 0) + (change ? String(change.old ?? '').length + 1 : 0);
    });
    const longest = Math.max(column.heading.length, dates, ...lengths);
    return Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, longest * CHARACTER_WIDTH + CELL_PADDING));
  });
}

const READ_KINDS = new Set(['date-time', 'number', 'integer', 'duration', 'time-span']);

function hasKind(view: ImportView, column: SheetColumn, kinds: ReadonlySet<string>): boolean {
  return view.fields.some(({ path, kind }) => kinds.has(kind) && column.fields.includes(path));
}

/** Whether the row's fields are changes of an existing item. A new item has all its fields. */
function isCompared(row: PreviewRow): boolean {
  return row.kind === 'changed' || row.kind === 'conflict';
}

/** Returns the changes of the fields that the column fills. */
function changesIn(row: PreviewRow, column: SheetColumn): PreviewField[] {
  return row.fields.filter(({ field }) => column.fields.includes(splitPath(field).field));
}

function hasChange(row: RowWithCells | undefined, column: SheetColumn): boolean {
  return row !== undefined && isCompared(row.item) && changesIn(row.item, column).length > 0;
}

function hasConflict(row: RowWithCells | undefined, column: SheetColumn): boolean {
  return row !== undefined && changesIn(row.item, column).some(({ conflict }) => conflict !== null);
}

/** Whether an error of the row is about this column. Its parameter `place` is a cell's address such as `B5`. */
function hasError(row: RowWithCells | undefined, column: SheetColumn): boolean {
  return row?.item.errors.some(({ parameters }) => parameters['place']?.replace(/\d+$/u, '') === column.letter) ?? false;
}

type Cell = ICellRendererParams<RowWithCells, unknown, GridContext>;

function KindCell({ data, context }: Cell) {
  return data ? <KindMark kind={data.item.kind} deletes={context.deletes} /> : null;
}

function ReasonCell({ data, context }: Cell) {
  if (!data) return null;
  return data.item.errors.length > 0 ? <ErrorTexts errors={data.item.errors} fields={context.view.fields} /> : data.item.reason;
}

function FileCell({ data, context, column, index }: Cell & { column: SheetColumn; index: number }) {
  if (!data) return null;
  const text = data.cells?.[index];
  const changes = changesIn(data.item, column);
  if (context.deletes && data.item.kind === 'changed') return <del>{text}</del>;
  // Numbers and dates of a new item are formatted like those of changed items, so that it is visible how Takt reads them.
  const showsFields = isCompared(data.item) || text === undefined || (data.item.kind === 'new' && hasKind(context.view, column, READ_KINDS));
  if (!showsFields || changes.length === 0) return text;
  return (
    <span className={styles.changes}>
      {changes.map((field) => {
        const { part } = splitPath(field.field);
        return (
          <span key={field.field} className={styles.change} data-conflict={field.conflict ?? undefined} data-field={field.field}>
            {part !== null && <span className="muted">{part} </span>}
            <FieldValues view={context.view} field={field} isNew={data.item.kind === 'new'} />
          </span>
        );
      })}
    </span>
  );
}

/** Changes of fields that no column of the workbook fills, for example of fixed values. */
function OthersCell({ data, context, isShown }: Cell & { isShown: (field: string) => boolean }) {
  if (!data) return null;
  return (
    <span className={styles.changes}>
      {data.item.fields
        .filter(({ field }) => !isShown(field))
        .map((field) => (
          <FieldChange
            key={field.field}
            view={context.view}
            field={context.deletes ? toDeletedField(field) : field}
            isNew={context.deletes || data.item.kind === 'new'}
          />
        ))}
    </span>
  );
}
