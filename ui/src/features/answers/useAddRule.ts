import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { AnswerRule, RuleExample } from '@/ipc/bindings';
import { type RulesDraft, useRuleWords } from './useRules';

type RuleAdder = {
  examples: readonly RuleExample[];
  addEmpty: () => void;
  addExample: (found: RuleExample) => void;
  /** The example's reason for the operator, null if it allows. */
  reasonOf: (found: RuleExample) => string | null;
};

/** Adds an empty rule or an example. */
export function useAddRule(draft: RulesDraft, choose: (at: number) => void): RuleAdder {
  const { t } = useTranslation();
  const { name } = useFormats();
  const words = useRuleWords();
  const add = (rule: AnswerRule) => {
    choose(draft.rules.rules.length);
    draft.change((before) => ({ ...before, rules: [...before.rules, { ...rule, name: unusedName(rule.name, before.rules) }] }));
  };
  const reasonOf = ({ refuse }: RuleExample) => (refuse ? name({ names: refuse }) : null);
  return {
    examples: words?.examples ?? [],
    addEmpty: () => add({ name: t('answers.newRule'), events: words?.events.map(({ id }) => id) ?? [], on: false, when: '', refuse: '' }),
    addExample: (found) => add({ name: name(found), events: found.events, on: false, when: found.when, refuse: reasonOf(found) }),
    reasonOf,
  };
}

function unusedName(name: string, rules: readonly AnswerRule[]): string {
  const isTaken = (candidate: string) => rules.some((rule) => rule.name === candidate);
  let count = 2;
  if (!isTaken(name)) return name;
  while (isTaken(`${name} ${count}`)) count += 1;
  return `${name} ${count}`;
}
