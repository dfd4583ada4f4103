import { ActionIcon, Button, SegmentedControl, Select, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import styles from './condition.module.css';
import {
  COMPARISONS,
  type Comparison,
  type Condition,
  type ConditionList,
  EMPTY_CONDITION,
  type ValueKind,
  needsValue,
  parseConditions,
  toCel,
} from './conditions';
import type { ConditionEditor } from './useConditionEditor';
import type { ConditionGroup } from './useConditionValues';

type ConditionLineProps = {
  at: number;
  condition: Condition;
  /** The type of the selected value. Undefined if the site has no such value. */
  kind: ValueKind | undefined;
  groups: readonly ConditionGroup[];
  change: (condition: Condition) => void;
  /** Removes the condition. Undefined if the form is empty. */
  remove: (() => void) | undefined;
};

/** One condition: value, comparison and operand. */
function ConditionLine({ at, condition, kind, groups, change, remove }: ConditionLineProps) {
  const { t } = useTranslation();
  const known: readonly Comparison[] = kind ? COMPARISONS[kind] : [];
  const items = groups.map(({ group, values }) => ({ group, items: values.map(({ celName, label }) => ({ value: celName, label })) }));
  const kinds = new Map(groups.flatMap(({ values }) => values.map((value) => [value.celName, value.kind] as const)));
  const chooseValue = (celName: string | null) => {
    const next = celName === null ? undefined : kinds.get(celName);
    const same = next !== undefined && next === kind;
    change({ celName, comparison: same ? condition.comparison : next ? COMPARISONS[next][0] : null, value: same ? condition.value : '' });
  };
  return (
    <div className={styles.line} role="group" aria-label={t('answers.form.line', { number: at + 1 })} data-testid={`condition-${at}`}>
      <Select
        className={styles.value}
        size="sm"
        data={items}
        value={condition.celName}
        onChange={chooseValue}
        searchable
        placeholder={t('answers.form.choose')}
        aria-label={t('answers.form.value')}
        nothingFoundMessage={t('answers.form.noValue')}
        data-testid={`condition-value-${at}`}
      />
      <Select
        className={styles.comparison}
        size="sm"
        data={known.map((value) => ({ value, label: t(`answers.form.comparisons.${kind ?? 'text'}.${value}` as 'answers.form.comparisons.text.is') }))}
        value={condition.comparison}
        onChange={(value) => change({ ...condition, comparison: known.find((one) => one === value) ?? null })}
        disabled={kind === undefined}
        allowDeselect={false}
        aria-label={t('answers.form.comparison')}
        data-testid={`condition-comparison-${at}`}
      />
      {needsValue(condition.comparison) && (
        <TextInput
          className={styles.typed}
          size="sm"
          value={condition.value}
          onChange={(event) => change({ ...condition, value: event.currentTarget.value })}
          placeholder={kind === 'clock' ? t('answers.form.clockExample') : undefined}
          rightSection={kind === 'duration' ? <span className="muted small">{t('answers.form.minutes')}</span> : undefined}
          rightSectionWidth={kind === 'duration' ? 44 : undefined}
          aria-label={kind === 'duration' ? t('answers.form.typedMinutes') : t('answers.form.typed')}
          data-testid={`condition-typed-${at}`}
        />
      )}
      {remove && (
        <ActionIcon variant="subtle" color="petrol" onClick={remove} aria-label={t('answers.form.remove', { number: at + 1 })} data-testid={`condition-remove-${at}`}>
          <IconX size={16} aria-hidden />
        </ActionIcon>
      )}
    </div>
  );
}

type ConditionFormProps = {
  text: string;
  change: (text: string) => void;
  groups: readonly ConditionGroup[];
};

/** A rule's condition as rows of value, comparison and operand. It writes the equivalent CEL. */
function ConditionForm({ text, change, groups }: ConditionFormProps) {
  const { t } = useTranslation();
  const all = groups.flatMap(({ values }) => values);
  const kindOf = (word: string) => all.find((value) => value.celName === word)?.kind;
  // Incomplete conditions aren't part of the CEL text, so they are stored here while the text matches the rows. After a
  // keystroke, `text` has its previous value until the parent renders.
  const [edited, setEdited] = useState<{ lines: ConditionList; before: string } | null>(null);
  const isRendered = edited !== null && toCel(edited.lines, kindOf) === text;
  if (isRendered && edited.before !== text) setEdited({ ...edited, before: text });
  const list = edited !== null && (isRendered || edited.before === text) ? edited.lines : parseConditions(text, kindOf);
  if (list === null) return null;
  const setConditionList = (next: ConditionList) => {
    setEdited({ lines: next, before: text });
    change(toCel(next, kindOf));
  };
  const setConditions = (conditions: readonly Condition[]) => setConditionList({ ...list, conditions: conditions.length > 0 ? conditions : [EMPTY_CONDITION] });
  const { conditions } = list;
  return (
    <fieldset className={styles.form} data-testid="condition-form">
      <legend className={styles.legend}>{t('answers.form.when')}</legend>
      {conditions.length > 1 && (
        <SegmentedControl
          size="xs"
          aria-label={t('answers.form.join')}
          data={[
            { value: 'all', label: t('answers.form.all') },
            { value: 'any', label: t('answers.form.any') },
          ]}
          value={list.join}
          onChange={(join) => setConditionList({ ...list, join: join === 'any' ? 'any' : 'all' })}
          data-testid="condition-join"
        />
      )}
      {conditions.map((condition, at) => (
        <ConditionLine
          // Conditions have no ID and no state.
          // oxlint-disable-next-line react/no-array-index-key
          key={at}
          at={at}
          condition={condition}
          kind={condition.celName === null ? undefined : kindOf(condition.celName)}
          groups={groups}
          change={(changed) => setConditions(conditions.map((one, index) => (index === at ? changed : one)))}
          remove={conditions.length > 1 || condition.celName !== null ? () => setConditions(conditions.filter((_, index) => index !== at)) : undefined}
        />
      ))}
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={() => setConditions([...conditions, EMPTY_CONDITION])}
        data-testid="condition-add"
      >
        {t('answers.form.add')}
      </Button>
    </fieldset>
  );
}

type Props = {
  text: string;
  change: (text: string) => void;
  editor: ConditionEditor;
  /** The CEL editor of the condition. */
  children: ReactNode;
};

/** Edits a rule's condition as a form or as CEL. Both edit the same CEL text. */
export function RuleCondition({ text, change, editor, children }: Props) {
  const { t } = useTranslation();
  const { isForm, fits, choose, groups } = editor;
  return (
    <>
      <div className={styles.switch}>
        <SegmentedControl
          size="xs"
          aria-label={t('answers.form.way')}
          data={[
            { value: 'form', label: t('answers.form.form'), disabled: !fits },
            { value: 'cel', label: t('answers.form.cel') },
          ]}
          value={isForm ? 'form' : 'cel'}
          onChange={(next) => choose(next === 'cel' ? 'cel' : 'form')}
          data-testid="condition-way"
        />
        {!fits && (
          <span className="muted small" data-testid="condition-cel-only">
            {t('answers.form.celOnly')}
          </span>
        )}
      </div>
      {isForm ? <ConditionForm text={text} change={change} groups={groups} /> : children}
    </>
  );
}
