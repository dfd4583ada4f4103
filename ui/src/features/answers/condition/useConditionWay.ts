import { useState } from 'react';

import type { RuleWords } from '@/ipc/bindings';
import { conditionsOf } from './conditions';
import { type ConditionGroup, useConditionValues } from './useConditionValues';

/** How a condition is edited, and whether the form has lines for it. */
export type ConditionWay = { isForm: boolean; fits: boolean; choose: (way: 'form' | 'cel') => void; groups: readonly ConditionGroup[] };

/** The form, until a person wants CEL or the condition doesn't fit the form. */
export function useConditionWay(text: string, words: RuleWords | undefined, events: readonly number[]): ConditionWay {
  const groups = useConditionValues(words, events);
  const [wanted, choose] = useState<'form' | 'cel'>('form');
  const all = groups.flatMap(({ values }) => values);
  const fits = conditionsOf(text, (word) => all.find((value) => value.word === word)?.kind) !== null;
  return { isForm: fits && wanted === 'form', fits, choose, groups };
}
