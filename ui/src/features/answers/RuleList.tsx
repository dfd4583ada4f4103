import { ActionIcon, Button, Menu, Switch } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconPlus } from '@tabler/icons-react';
import type { KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { EmptyState } from '@/components/page/EmptyState';
import type { AnswerRule } from '@/ipc/bindings';
import { useAddRule } from './useAddRule';
import type { RulesDraft } from './useRules';
import styles from './answers.module.css';

type Props = { draft: RulesDraft; at: number; choose: (at: number) => void };

/** The rules in order of evaluation. Alt with an arrow key moves the selected rule. */
export function RuleList({ draft, at, choose }: Props) {
  const { t } = useTranslation();
  const { rules } = draft.rules;
  const move = (from: number, by: number) => {
    const to = from + by;
    if (to < 0 || to >= rules.length) return;
    draft.change((before) => ({ ...before, rules: moveRule(before.rules, from, to) }));
    choose(to);
  };
  const handleKeyDown = (event: KeyboardEvent, index: number) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!by || !event.altKey) return;
    event.preventDefault();
    move(index, by);
  };
  return (
    <section aria-label={t('answers.rules')}>
      <header className={styles.head}>
        <h2>{t('answers.rules')}</h2>
        <AddRuleMenu draft={draft} choose={choose} />
      </header>
      {rules.length === 0 && <EmptyState picture="rules" text={t('answers.none')} />}
      <ol className={styles.list} data-testid="rules">
        {rules.map((rule, index) => (
          <li key={ruleKey(rules, index)} className={styles.rule} data-chosen={index === at}>
            <Switch
              size="xs"
              color="petrol"
              checked={rule.on}
              onChange={(event) => draft.changeRule(index, { on: event.currentTarget.checked })}
              aria-label={t('answers.onOff', { rule: rule.name })}
              data-testid={`rule-on-${index}`}
            />
            <button
              type="button"
              className={styles.choose}
              aria-current={index === at}
              onClick={() => choose(index)}
              onKeyDown={(event) => handleKeyDown(event, index)}
              data-testid={`rule-${index}`}
            >
              <RuleLine rule={rule} faulty={draft.checks[index]?.faults.some((fault) => fault.error) ?? false} />
            </button>
            {index === at && rules.length > 1 && <MoveButtons index={index} last={rules.length - 1} move={move} />}
          </li>
        ))}
      </ol>
    </section>
  );
}

function RuleLine({ rule, faulty }: { rule: AnswerRule; faulty: boolean }) {
  const { t } = useTranslation();
  const effect = typeof rule.refuse === 'string' ? 'refuses' : 'allows';
  return (
    <>
      <span className={styles.name}>
        {faulty && (
          <span className={styles.bad}>
            <span aria-hidden>▲</span> <span className="hidden">{t('answers.faulty')}</span>
          </span>
        )}{' '}
        {rule.name || t('answers.unnamed')}
      </span>
      <span className="muted small">{t(`answers.${effect}`, { events: rule.events.join(', ') })}</span>
    </>
  );
}

function MoveButtons({ index, last, move }: { index: number; last: number; move: (from: number, by: number) => void }) {
  const { t } = useTranslation();
  return (
    <span className={styles.movers}>
      <ActionIcon size="sm" variant="subtle" color="petrol" disabled={index === 0} onClick={() => move(index, -1)} aria-label={t('answers.up')}>
        <IconArrowUp size={14} aria-hidden />
      </ActionIcon>
      <ActionIcon size="sm" variant="subtle" color="petrol" disabled={index === last} onClick={() => move(index, 1)} aria-label={t('answers.down')}>
        <IconArrowDown size={14} aria-hidden />
      </ActionIcon>
    </span>
  );
}

/** Menu that adds an empty rule or an example. */
function AddRuleMenu({ draft, choose }: Pick<Props, 'draft' | 'choose'>) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const { examples, addEmpty, addExample } = useAddRule(draft, choose);
  return (
    <Menu position="bottom-end" width={320}>
      <Menu.Target>
        <Button size="xs" variant="default" leftSection={<IconPlus size={14} aria-hidden />} data-testid="rule-add">
          {t('answers.add')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown className={styles.menu}>
        <Menu.Item onClick={addEmpty} data-testid="rule-own">
          {t('answers.own')}
        </Menu.Item>
        <Menu.Label>{t('answers.examples')}</Menu.Label>
        {examples.map((entry) => (
          <Menu.Item key={entry.id} onClick={() => addExample(entry)} data-testid={`example-${entry.id}`}>
            {name(entry)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function moveRule(rules: AnswerRule[], from: number, to: number): AnswerRule[] {
  const remaining = rules.filter((_, index) => index !== from);
  const rule = rules[from];
  return rule ? remaining.toSpliced(to, 0, rule) : remaining;
}

/** Returns a key for a rule. Rules with equal names differ by a number. */
function ruleKey(rules: readonly AnswerRule[], at: number): string {
  const name = rules[at]?.name ?? '';
  return `${rules.slice(0, at).filter((rule) => rule.name === name).length} ${name}`;
}
