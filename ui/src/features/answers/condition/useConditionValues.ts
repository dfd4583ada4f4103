import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { variableText } from '@/base/engineWords';
import { useFormats } from '@/base/useFormats';
import type { Field, FieldKind, RuleWords } from '@/ipc/bindings';
import type { ConditionValue, ValueKind } from './conditions';

const kinds: Partial<Record<FieldKind, ValueKind>> = {
  text: 'text',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  'date-time': 'moment',
  duration: 'duration',
};

/** What the clock on the site's wall shows, as far as the form compares it. */
const clocks: readonly { word: string; kind: ValueKind }[] = [
  { word: 'local.time', kind: 'clock' },
  { word: 'local.hour', kind: 'number' },
  { word: 'local.weekday', kind: 'number' },
];

export type ConditionGroup = { group: string; values: ConditionValue[] };

/** The values that a line of the form can compare, in groups: of the order, of the event, of the clock. */
export function useConditionValues(words: RuleWords | undefined, events: readonly number[]): ConditionGroup[] {
  const { t } = useTranslation();
  const { name } = useFormats();
  return useMemo(() => {
    if (!words) return [];
    const told = words.events.find(({ id }) => events.includes(id)) ?? words.events[0];
    const fields = told?.fields ?? [];
    const order = fields.find((field) => field.name === words.order)?.fields ?? [];
    const valuesOf = (of: string, list: readonly Field[]) =>
      list.flatMap((field): ConditionValue[] => {
        const known = kinds[field.kind];
        return known ? [{ word: `${of}.${field.name}`, kind: known, label: name(field) }] : [];
      });
    return [
      { group: t('answers.form.order'), values: valuesOf('order', order) },
      { group: t('answers.form.event'), values: valuesOf('event', fields) },
      {
        group: t('answers.form.clock'),
        values: clocks.filter(({ word }) => words.variables.includes(word)).map(({ word, kind }) => ({ word, kind, label: variableText(word) })),
      },
    ];
  }, [words, events, name, t]);
}
