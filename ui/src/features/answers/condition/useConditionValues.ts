import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { variableText } from '@/base/engineTexts';
import { useFormats } from '@/base/useFormats';
import type { Field, FieldKind, RuleWords } from '@/ipc/bindings';
import type { ConditionValue, ValueKind } from './conditions';

const VALUE_KINDS: Partial<Record<FieldKind, ValueKind>> = {
  text: 'text',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  'date-time': 'moment',
  duration: 'duration',
};

/** The variables of the site's local time that the form can compare. */
const CLOCK_VALUES: readonly { celName: string; kind: ValueKind }[] = [
  { celName: 'local.time', kind: 'clock' },
  { celName: 'local.hour', kind: 'number' },
  { celName: 'local.weekday', kind: 'number' },
];

export type ConditionGroup = { group: string; values: ConditionValue[] };

/** Returns the values that a condition can compare, grouped by order, event and clock. */
export function useConditionValues(words: RuleWords | undefined, events: readonly number[]): ConditionGroup[] {
  const { t } = useTranslation();
  const { name } = useFormats();
  return useMemo(() => {
    if (!words) return [];
    const eventWords = words.events.find(({ id }) => events.includes(id)) ?? words.events[0];
    const fields = eventWords?.fields ?? [];
    const order = fields.find((field) => field.name === words.order)?.fields ?? [];
    const valuesOf = (of: string, list: readonly Field[]) =>
      list.flatMap((field): ConditionValue[] => {
        const known = VALUE_KINDS[field.kind];
        return known ? [{ celName: `${of}.${field.name}`, kind: known, label: name(field) }] : [];
      });
    return [
      { group: t('answers.form.order'), values: valuesOf('order', order) },
      { group: t('answers.form.event'), values: valuesOf('event', fields) },
      {
        group: t('answers.form.clock'),
        values: CLOCK_VALUES.filter(({ celName }) => words.variables.includes(celName)).map(({ celName, kind }) => ({ celName, kind, label: variableText(celName) })),
      },
    ];
  }, [words, events, name, t]);
}
