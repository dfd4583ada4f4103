import type { ColDef } from 'ag-grid-community';

import { isAssumed } from '@/base/provenance';
import { type Row, type TableRow, type CellFormats, isCode, isNumeric, isRow, isTimeSpan, cellText } from '@/base/values/cells';
import { LinkCell } from '@/components/grid/LinkCell';
import type { Field, Value as JsonValue, Names, Operation, TableView } from '@/ipc/bindings';
import styles from './table.module.css';

/** A column: a field, a field of a nested part (`area.code`), or a member that the contract lacks. */
export type TableColumn = {
  path: string;
  label: string;
  field: Field | null;
  hint: string | undefined;
  isCode: boolean;
};

type ColumnNaming = {
  name: (thing: { names: Names }) => string;
  /** Returns a tooltip for a field that the specification lacks. */
  hint: (field: Field) => string | undefined;
  unknownHint: string;
};

/** Returns columns for the contract's fields, with nested fields next to each other, then for unknown members. */
export function tableColumns(operation: Operation, unknown: readonly string[], naming: ColumnNaming): TableColumn[] {
  const columns = (operation.answer?.fields ?? []).flatMap((field) => fieldColumns(field, '', '', operation.key, naming));
  return [
    ...columns,
    ...unknown.map((member) => ({ path: member, label: `${member} (?)`, field: null, hint: naming.unknownHint, isCode: false })),
  ];
}

function fieldColumns(field: Field, pathPrefix: string, labelPrefix: string, key: readonly string[], naming: ColumnNaming): TableColumn[] {
  const label = labelPrefix + (naming.name(field) || field.name);
  const path = pathPrefix + field.name;
  if (field.kind === 'object' && field.fields.length > 0) {
    return field.fields.flatMap((part) => fieldColumns(part, `${path}.`, `${label} · `, key, naming));
  }
  return [{ path, label, field, hint: naming.hint(field), isCode: isCode(field, pathPrefix === '' ? key : []) }];
}

export function cellValue(row: Row | undefined, column: TableColumn): JsonValue | undefined {
  if (!row) return undefined;
  if (!column.field) return row[column.path];
  return column.path.split('.').reduce<JsonValue | undefined>((value, name) => (isRow(value) ? value[name] : undefined), row);
}

type GridColumnInput = {
  columns: readonly TableColumn[];
  words: CellFormats;
  /** The initial view. Afterwards, the grid has the current state. */
  view: TableView;
  key: readonly string[];
  /** Unit shown after the name of time span columns, if any. */
  spanUnit: string;
  header: ColDef['headerComponentParams'];
  /** Opens a column's menu at its header. */
  open: (path: string, at: Element) => void;
  /** Functions that follow a value's link, by column. */
  links: ReadonlyMap<string, (value: string) => void>;
};

export function gridColumns({ columns, words, view, key, spanUnit, header, open, links }: GridColumnInput): ColDef<TableRow>[] {
  const sorts = view.sort.map(({ path }) => path);
  return columns.map((column) => {
    const { field, path } = column;
    const numeric = field !== null && isNumeric(field);
    const sorted = sorts.indexOf(path);
    const follow = links.get(path);
    return {
      colId: path,
      headerName: isTimeSpan(field) && spanUnit ? `${column.label} (${spanUnit})` : column.label,
      headerTooltip: column.hint,
      headerComponentParams: header,
      suppressHeaderKeyboardEvent: ({ event }) => handleMenuKey(event, (at) => open(path, at)),
      sortable: true,
      initialSort: sorted < 0 ? undefined : view.sort[sorted]?.descending ? ('desc' as const) : ('asc' as const),
      initialSortIndex: sorted < 0 ? undefined : sorted,
      valueGetter: ({ data }) => cellText(cellValue(data?.row, column), field, words),
      ...(follow ? { cellRenderer: LinkCell, cellRendererParams: { follow } } : {}),
      cellClass: column.isCode ? 'mono' : numeric ? styles.numeric : undefined,
      headerClass: [
        ...(numeric ? [styles.numericHead ?? ''] : []),
        ...(field && isAssumed(field) ? [styles.assumedHead ?? ''] : []),
        ...(field ? [] : [styles.unknownHead ?? '']),
      ],
      initialWidth: column.isCode ? 130 : field ? (COLUMN_WIDTHS[field.kind] ?? 150) : 150,
      initialPinned: view.columns.length === 0 && path === key[0] ? ('left' as const) : undefined,
    };
  });
}

/** Opens a column's menu on Alt+Down, as in Excel. Returns whether the key was handled. */
function handleMenuKey(event: KeyboardEvent, open: (at: Element) => void): boolean {
  if (!event.altKey || event.key !== 'ArrowDown' || !(event.target instanceof Element)) return false;
  if (event.type === 'keydown') open(event.target);
  return true;
}

const COLUMN_WIDTHS: Partial<Record<Field['kind'], number>> = {
  text: 160,
  integer: 110,
  number: 120,
  boolean: 110,
  'date-time': 170,
  duration: 130,
  'time-span': 140,
  list: 120,
  object: 200,
};
