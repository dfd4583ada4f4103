import { SegmentedControl } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { ConditionForm } from './ConditionForm';
import styles from './condition.module.css';
import type { ConditionEditor } from './useConditionEditor';

type Props = {
  text: string;
  change: (text: string) => void;
  way: ConditionEditor;
  /** The CEL editor of the condition. */
  children: ReactNode;
};

/** Edits a rule's condition as a form or as CEL. Both change the same text. */
export function RuleCondition({ text, change, way, children }: Props) {
  const { t } = useTranslation();
  const { isForm, fits, choose, groups } = way;
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
