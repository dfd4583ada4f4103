import type { ReactNode } from 'react';

import styles from './choice.module.css';

type Props = {
  name: string;
  checked: boolean;
  choose: () => void;
  children: ReactNode;
  disabled?: boolean;
  testId?: string;
};

/** One option of a radio group. */
export function Choice({ name, checked, choose, children, disabled = false, testId }: Props) {
  return (
    <label className={styles.choice} data-checked={checked} data-testid={testId}>
      <input type="radio" name={name} checked={checked} onChange={choose} disabled={disabled} />
      <span className={styles.text}>{children}</span>
    </label>
  );
}
