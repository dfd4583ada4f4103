import type { ReactNode } from 'react';

import styles from './radioOption.module.css';

type Props = {
  name: string;
  checked: boolean;
  onSelect: () => void;
  children: ReactNode;
  disabled?: boolean;
  testId?: string;
};

/** One option of a radio group. */
export function RadioOption({ name, checked, onSelect, children, disabled = false, testId }: Props) {
  return (
    <label className={styles.choice} data-checked={checked} data-testid={testId}>
      <input type="radio" name={name} checked={checked} onChange={onSelect} disabled={disabled} />
      <span className={styles.text}>{children}</span>
    </label>
  );
}
