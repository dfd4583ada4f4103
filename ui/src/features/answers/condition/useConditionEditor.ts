import { useState } from 'react';

import type { RuleWords } from '@/ipc/bindings';
import { parseConditions } from './conditions';
import { type ConditionGroup, useConditionValues } from './useConditionValues';

/** The editor of a condition, and whether the form can express it. */
export type ConditionEditor = { isForm: boolean; fits: boolean; choose: (way: 'form' | 'cel') => void; groups: readonly ConditionGroup[] };

/** Uses the form, unless CEL was chosen or the condition doesn't fit the form. */
export function useConditionEditor(text: string, words: RuleWords | undefined, events: readonly number[]): ConditionEditor {
  const groups = useConditionValues(words, events);
  const [wanted, choose] = useState<'form' | 'cel'>('form');
  const all = groups.flatMap(({ values }) => values);
  const fits = parseConditions(text, (word) => all.find((value) => value.word === word)?.kind) !== null;
  return { isForm: fits && wanted === 'form', fits, choose, groups };
}
