import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { AnswerRule, RuleExample } from '@/ipc/bindings';
import { type Draft, useRuleWords } from './useRules';

type RuleAdder = {
  examples: readonly RuleExample[];
  own: () => void;
  example: (found: RuleExample) => void;
  /** The example's reason for the operator, null if it allows. */
  reasonOf: (found: RuleExample) => string | null;
};

/** Adds an empty rule or an example. */
export function useAddRule(draft: Draft, choose: (at: number) => void): RuleAdder {
  const { t } = useTranslation();
  const { name } = useFormats();
  const words = useRuleWords();
  const add = (rule: AnswerRule) => {
    choose(draft.rules.rules.length);
    draft.change((before) => ({ ...before, rules: [...before.rules, { ...rule, name: unused(rule.name, before.rules) }] }));
  };
  const told = ({ refuse }: RuleExample) => (refuse ? name({ names: refuse }) : null);
  return {
    examples: words?.examples ?? [],
    own: () => add({ name: t('answers.newRule'), events: words?.events.map(({ id }) => id) ?? [], on: false, when: '', refuse: '' }),
    example: (found) => add({ name: name(found), events: found.events, on: false, when: found.when, refuse: told(found) }),
    reasonOf: told,
  };
}

function unused(name: string, rules: readonly AnswerRule[]): string {
  const taken = (candidate: string) => rules.some((rule) => rule.name === candidate);
  let count = 2;
  if (!taken(name)) return name;
  while (taken(`${name} ${count}`)) count += 1;
  return `${name} ${count}`;
}
