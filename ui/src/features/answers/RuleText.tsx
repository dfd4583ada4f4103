import { Textarea } from '@mantine/core';
import type { RefObject } from 'react';
import { useTranslation } from 'react-i18next';

import { ruleFaultText } from '@/base/engineWords';
import { SeveritySign } from '@/components/marks/StatusMarks';
import type { RuleFault } from '@/ipc/bindings';
import styles from './answers.module.css';

type Props = {
  field: RefObject<HTMLTextAreaElement | null>;
  label: string;
  hint?: string;
  value: string;
  change: (value: string) => void;
  focus: () => void;
  faults: RuleFault[];
  testId: string;
};

/** An editor for text with CEL, with its faults and their positions. */
export function RuleText({ field, label, hint, value, change, focus, faults, testId }: Props) {
  const { t } = useTranslation();
  const go = (at: number) => {
    field.current?.focus();
    const place = [...value].slice(0, at).join('').length;
    field.current?.setSelectionRange(place, Math.min(place + 1, value.length));
  };
  return (
    <div>
      <Textarea
        ref={field}
        label={label}
        description={hint}
        value={value}
        onChange={(event) => change(event.currentTarget.value)}
        onFocus={focus}
        autosize
        minRows={2}
        maxRows={8}
        spellCheck={false}
        classNames={{ input: styles.cel ?? '' }}
        aria-invalid={faults.some((fault) => fault.error)}
        aria-describedby={`${testId}-faults`}
        data-testid={testId}
      />
      <ul id={`${testId}-faults`} className={styles.faults} aria-live="polite">
        {faults.map((fault) => (
          <li key={`${fault.code} ${fault.at} ${fault.parameters.name}`} data-error={fault.error}>
            <SeveritySign severity={fault.error ? 'error' : 'warning'} named /> {ruleFaultText(fault)}{' '}
            <button type="button" className={styles.place} onClick={() => go(fault.at)}>
              {t('answers.place', { at: fault.at + 1 })}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
