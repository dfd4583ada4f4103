import { Button, SegmentedControl } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { ConditionLine } from './ConditionLine';
import styles from './condition.module.css';
import { type Condition, type ConditionList, toCel, parseConditions, EMPTY_CONDITION } from './conditions';
import type { ConditionGroup } from './useConditionValues';

type Props = {
  text: string;
  change: (text: string) => void;
  groups: readonly ConditionGroup[];
};

/** A rule's condition as rows of value, comparison and operand. It writes the equivalent CEL. */
export function ConditionForm({ text, change, groups }: Props) {
  const { t } = useTranslation();
  const all = groups.flatMap(({ values }) => values);
  const kindOf = (word: string) => all.find((value) => value.word === word)?.kind;
  // Incomplete conditions aren't part of the CEL text, so they are stored here while the text matches the rows.
  // The text arrives later than a keystroke. Until then it is the previous one.
  const [edited, setEdited] = useState<{ lines: ConditionList; before: string } | null>(null);
  const arrived = edited !== null && toCel(edited.lines, kindOf) === text;
  if (arrived && edited.before !== text) setEdited({ ...edited, before: text });
  const list = edited !== null && (arrived || edited.before === text) ? edited.lines : parseConditions(text, kindOf);
  if (list === null) return null;
  const put = (next: ConditionList) => {
    setEdited({ lines: next, before: text });
    change(toCel(next, kindOf));
  };
  const putLines = (conditions: readonly Condition[]) => put({ ...list, conditions: conditions.length > 0 ? conditions : [EMPTY_CONDITION] });
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
          onChange={(join) => put({ ...list, join: join === 'any' ? 'any' : 'all' })}
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
          kind={condition.word === null ? undefined : kindOf(condition.word)}
          groups={groups}
          change={(changed) => putLines(conditions.map((one, index) => (index === at ? changed : one)))}
          remove={conditions.length > 1 || condition.word !== null ? () => putLines(conditions.filter((_, index) => index !== at)) : undefined}
        />
      ))}
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={() => putLines([...conditions, EMPTY_CONDITION])}
        data-testid="condition-add"
      >
        {t('answers.form.add')}
      </Button>
    </fieldset>
  );
}
