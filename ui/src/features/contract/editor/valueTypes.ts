import type { FieldKind, ValueForm, ValueType } from '@/ipc/bindings';

/** The types that a person may choose from, in the order in which they are offered. */
export const valueTypes: ValueType[] = [
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

/** The one word for what a value is and how it travels. None of lists and objects, which have no value of their own. */
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
