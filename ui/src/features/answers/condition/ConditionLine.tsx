import { ActionIcon, Select, TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import styles from './condition.module.css';
import { type Comparison, type Condition, type ValueKind, COMPARISONS, needsValue } from './conditions';
import type { ConditionGroup } from './useConditionValues';

type Props = {
  at: number;
  condition: Condition;
  /** The kind of the selected value. */
  kind: ValueKind | undefined;
  groups: readonly ConditionGroup[];
  change: (condition: Condition) => void;
  /** Undefined if there is nothing to remove. */
  remove: (() => void) | undefined;
};

/** One condition: value, comparison and operand. */
export function ConditionLine({ at, condition, kind, groups, change, remove }: Props) {
  const { t } = useTranslation();
  const known: readonly Comparison[] = kind ? COMPARISONS[kind] : [];
  const items = groups.map(({ group, values }) => ({ group, items: values.map(({ word, label }) => ({ value: word, label })) }));
  const kinds = new Map(groups.flatMap(({ values }) => values.map((value) => [value.word, value.kind] as const)));
  const chooseValue = (word: string | null) => {
    const next = word === null ? undefined : kinds.get(word);
    const same = next !== undefined && next === kind;
    change({ word, comparison: same ? condition.comparison : next ? COMPARISONS[next][0] : null, value: same ? condition.value : '' });
  };
  return (
    <div className={styles.line} role="group" aria-label={t('answers.form.line', { number: at + 1 })} data-testid={`condition-${at}`}>
      <Select
        className={styles.value}
        size="sm"
        data={items}
        value={condition.word}
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
