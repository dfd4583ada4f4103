import { useState } from 'react';

import type { RuleWords } from '@/ipc/bindings';
import { parseConditions } from './conditions';
import { type ConditionGroup, useConditionValues } from './useConditionValues';

/** The selected editor of a condition. `fits` is false if the form can't express the condition. */
export type ConditionEditor = { isForm: boolean; fits: boolean; choose: (editor: 'form' | 'cel') => void; groups: readonly ConditionGroup[] };

/** Uses the form, unless CEL was chosen or the condition doesn't fit the form. */
export function useConditionEditor(text: string, words: RuleWords | undefined, events: readonly number[]): ConditionEditor {
  const groups = useConditionValues(words, events);
  const [chosenEditor, choose] = useState<'form' | 'cel'>('form');
  const all = groups.flatMap(({ values }) => values);
  const fits = parseConditions(text, (word) => all.find((value) => value.celName === word)?.kind) !== null;
  return { isForm: fits && chosenEditor === 'form', fits, choose, groups };
}
