import type { ColDef } from 'ag-grid-community';

import type { Field, Names, Operation } from '../../ipc/bindings';
import { type Row, type Words, isCode, isNumeric, shown, timeSpanSeconds } from './cells';
import styles from './browse.module.css';

type Making = {
  operation: Operation;
  unknown: readonly string[];
  words: Words;
  name: (thing: { names: Names }) => string;
  /** What is said about a field that the specification doesn't have. */
  hint: (field: Field) => string | undefined;
  unknownHint: string;
  sortable: boolean;
};

/** A column per field of the answer, then what the contract doesn't know. */
export function answerColumns(making: Making): ColDef<Row>[] {
  const fields = making.operation.answer?.fields ?? [];
  return [
    ...fields.map((field) => fieldColumn(field, making)),
    ...making.unknown.map((member) => unknownColumn(member, making)),
  ];
}

function fieldColumn(field: Field, { operation, words, name, hint, sortable }: Making): ColDef<Row> {
  const numeric = isNumeric(field);
  return {
    colId: field.name,
    headerName: name(field) || field.name,
    headerTooltip: hint(field),
    sortable,
    comparator: (first, second, a, b) => compare(field, a.data?.[field.name] ?? null, b.data?.[field.name] ?? null, first, second),
    valueGetter: ({ data }) => shown(data?.[field.name], field, words),
    cellClass: isCode(field, operation.key) ? 'mono' : numeric ? styles.numeric : undefined,
    headerClass: [
      ...(numeric ? [styles.numericHead ?? ''] : []),
      ...(field.provenance.level === 'assumed' ? [styles.assumedHead ?? ''] : []),
    ],
    width: widths[field.kind] ?? 150,
  };
}

function unknownColumn(member: string, { words, unknownHint, sortable }: Making): ColDef<Row> {
  return {
    colId: `unknown-${member}`,
    headerName: `${member} (?)`,
    headerClass: styles.unknownHead,
    sortable,
    valueGetter: ({ data }) => shown(data?.[member], null, words),
    headerTooltip: unknownHint,
    width: 150,
  };
}

const widths: Partial<Record<Field['kind'], number>> = {
  text: 160,
  integer: 100,
  number: 110,
  boolean: 110,
  'date-time': 170,
  duration: 130,
  'time-span': 130,
  list: 100,
  object: 200,
};

type Value = Row[string];

function compare(field: Field, a: Value, b: Value, first: string, second: string): number {
  if (field.kind === 'date-time' && typeof a === 'string' && typeof b === 'string') return a < b ? -1 : Number(a > b);
  const left = order(a);
  const right = order(b);
  if (left !== null && right !== null) return left - right;
  return (first ?? '').localeCompare(second ?? '', undefined, { numeric: true });
}

function order(value: Value): number | null {
  if (typeof value === 'number') return value;
  if (Array.isArray(value)) return value.length;
  return timeSpanSeconds(value);
}
