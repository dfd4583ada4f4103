import type { BatchForm, Field, FieldEdit, FieldPlace, Operation, OperationEdit, Paging, ValueType } from '@/ipc/bindings';
import { formatCodes, parseCodes } from './codes';
import { valueTypeOf } from './valueTypes';

/** A field's settings as typed in the form. */
export type FieldDraft = {
  place: FieldPlace;
  path: string;
  names: Field['names'];
  depth: number;
  wire: string;
  type: ValueType | null;
  required: boolean;
  codes: string;
  /** Whether the site lacks the field. */
  gone: boolean;
};

/** An operation's settings as typed in the form. */
export type OperationDraft = {
  method: string;
  path: string;
  list: string;
  paged: boolean;
  page: string;
  limit: string;
  first: string;
  rows: string;
  total: string;
  results: ResultsDraft;
  fields: FieldDraft[];
};

/** The format of responses to sent rows, as typed in the form. */
export type ResultsDraft = { list: string; onlyFailures: boolean; reasons: string; index: string; all: string; accepted: string; rejected: string };

/** Returns the form's initial values for an operation in force. */
export function toDraft(operation: Operation): OperationDraft {
  const { paging } = operation;
  const place = operation.kind === 'read' ? 'answer' : 'request';
  const shape = operation[place];
  return {
    method: operation.method,
    path: operation.path,
    list: shape?.member ?? '',
    paged: operation.paged,
    page: paging.page ?? '',
    limit: paging.limit ?? '',
    first: String(paging.first ?? 1),
    rows: String(paging.rows ?? 0),
    total: formatPlace(paging.total),
    results: toResultsDraft(operation.batch),
    fields: [
      ...operation.parameters.map(({ name, names, wire, kind, form, required }) => {
        return { place: 'parameter' as const, path: name, names, depth: 0, wire: wire ?? name, type: valueTypeOf(kind, form), required, codes: '', gone: false };
      }),
      ...flattenFields(place, shape?.fields ?? [], '', 0),
    ],
  };
}

function toResultsDraft(batch: BatchForm): ResultsDraft {
  return {
    list: batch.results ?? '',
    onlyFailures: batch.onlyFailures ?? false,
    reasons: (batch.reasons ?? []).join(', '),
    index: batch.index?.name ?? '',
    all: batch.total ?? '',
    accepted: batch.accepted ?? '',
    rejected: batch.rejected ?? '',
  };
}

function textOrNull(value: string): string | null {
  return value.trim() || null;
}

/** Applies the draft. Members that the form lacks are kept. If only failures are listed, results have no success value. */
function toBatchForm(batch: BatchForm, draft: ResultsDraft): BatchForm {
  const index = textOrNull(draft.index);
  return {
    ...batch,
    results: draft.list.trim(),
    onlyFailures: draft.onlyFailures,
    success: draft.onlyFailures ? null : (batch.success ?? null),
    reasons: draft.reasons.split(',').map((name) => name.trim()).filter((name) => name !== ''),
    index: index === null ? null : { first: batch.index?.first ?? 0, name: index },
    total: textOrNull(draft.all),
    accepted: textOrNull(draft.accepted),
    rejected: textOrNull(draft.rejected),
  };
}

function flattenFields(place: FieldPlace, fields: Field[], front: string, depth: number): FieldDraft[] {
  return fields.flatMap((field) => [
    {
      place,
      path: front + field.name,
      names: field.names,
      depth,
      wire: field.wire ?? field.name,
      type: valueTypeOf(field.kind, field.form),
      required: field.required,
      codes: formatCodes(field.form),
      gone: false,
    },
    ...flattenFields(place, field.fields, `${front}${field.name}.`, depth + 1),
  ]);
}

function formatPlace(place: Paging['total']): string {
  if (!place) return '';
  return 'header' in place ? `header:${place.header}` : place.member;
}

function parsePlace(text: string): Paging['total'] {
  if (text.trim() === '') return null;
  return text.startsWith('header:') ? { header: text.slice('header:'.length) } : { member: text.trim() };
}

/** Converts a draft to an edit. Unchanged members are null. */
export function toEdit(operation: Operation, draft: OperationDraft): OperationEdit {
  const before = toDraft(operation);
  const changed = (member: 'method' | 'path' | 'list') => (draft[member] === before[member] ? null : draft[member]);
  const pages = (['paged', 'page', 'limit', 'first', 'rows', 'total'] as const).some((member) => draft[member] !== before[member]);
  const paging = {
    ...operation.paging,
    page: draft.page.trim(),
    limit: draft.limit.trim() || null,
    first: parseCount(draft.first),
    rows: parseCount(draft.rows),
    total: parsePlace(draft.total),
  };
  return {
    operation: operation.id,
    method: changed('method'),
    path: changed('path'),
    list: changed('list'),
    paging: pages ? { paging: draft.paged ? paging : null } : null,
    batch: isSameResults(draft.results, before.results) ? null : toBatchForm(operation.batch, draft.results),
    fields: draft.fields.map((field, at) => fieldEdit(field, before.fields[at])).filter((edit) => edit !== null),
  };
}

function isSameResults(one: ResultsDraft, other: ResultsDraft): boolean {
  return (Object.keys(one) as (keyof ResultsDraft)[]).every((member) => one[member] === other[member]);
}

function parseCount(text: string): number {
  const number = Number.parseInt(text, 10);
  return Number.isNaN(number) ? 0 : Math.max(0, number);
}

/** Creates a field unknown to Takt, by its name at the site. */
export function newField(place: FieldPlace, wire: string): FieldDraft {
  const path = wire.trim().replaceAll('.', '_');
  const names = { en: path, de: path, es: path, pt: path };
  return { place, path, names, depth: 0, wire: wire.trim(), type: 'text', required: false, codes: '', gone: false };
}

function fieldEdit(field: FieldDraft, before: FieldDraft | undefined): FieldEdit | null {
  const { place, path } = field;
  if (!before) {
    if (field.gone) return null;
    const codes = field.codes === '' ? null : parseCodes(field.codes);
    return { place, path, wire: field.wire, valueType: field.type, required: field.required, codes, gone: false, added: true };
  }
  if (field.gone) return { place, path, wire: null, valueType: null, required: null, codes: null, gone: true, added: false };
  const [wire, type, required, codes] = [
    field.wire === before.wire ? null : field.wire,
    field.type === before.type ? null : field.type,
    field.required === before.required ? null : field.required,
    field.codes === before.codes ? null : parseCodes(field.codes),
  ];
  if (wire === null && type === null && required === null && codes === null) return null;
  return { place, path, wire, valueType: type, required, codes, gone: false, added: false };
}

/** Whether an edit changes nothing. */
export function isEmptyEdit({ method, path, list, paging, batch, fields }: OperationEdit): boolean {
  return [method, path, list, paging, batch].every((member) => member === null) && (fields ?? []).length === 0;
}

/** Unsaved drafts by operation ID. */
export type OperationDrafts = Record<string, OperationDraft>;

/** Returns the edits of all drafts except one. */
export function editsOf(drafts: OperationDrafts, operations: Operation[], except: string | null): OperationEdit[] {
  return operations.flatMap((operation) => {
    const draft = drafts[operation.id];
    return draft && operation.id !== except ? [toEdit(operation, draft)] : [];
  });
}
