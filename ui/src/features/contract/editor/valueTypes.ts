import type { FieldKind, ValueForm, ValueType } from '@/ipc/bindings';

/** The selectable types, in display order. */
export const VALUE_TYPES: ValueType[] = [
  'text',
  'integer',
  'number',
  'boolean',
  'date-time',
  'date-time-offset',
  'date-time-utc',
  'date',
  'epoch-seconds',
  'epoch-milliseconds',
  'duration',
  'duration-iso',
  'duration-ticks',
  'duration-milliseconds',
  'duration-seconds',
  'duration-minutes',
  'duration-hours',
  'duration-days',
  'time-span',
  'quoted-number',
  'quoted-boolean',
];

/** Returns the type for a kind and its wire form, null for lists and objects. */
export function valueTypeOf(kind: FieldKind, form: ValueForm | undefined): ValueType | null {
  if (kind === 'list' || kind === 'object') return null;
  switch (form?.form) {
    case 'offset-date-time':
      return 'date-time-offset';
    case 'utc-date-time':
      return 'date-time-utc';
    case 'date-only':
      return 'date';
    case 'epoch':
      return `epoch-${form.unit}`;
    case 'duration-iso':
      return 'duration-iso';
    case 'duration-number':
      return `duration-${form.unit}`;
    case 'time-span-object':
      return 'time-span';
    case 'quoted':
      return kind === 'boolean' ? 'quoted-boolean' : 'quoted-number';
    default:
      return kind;
  }
}
