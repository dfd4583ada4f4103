import type { ReactNode } from 'react';

import styles from './pill.module.css';

/** What a state means for the user. Each tone has its own color. */
export type Tone = 'good' | 'bad' | 'warning' | 'active' | 'quiet';

type Props = {
  tone: Tone;
  /** A shape or small icon, so that color isn't the only difference. */
  sign: ReactNode;
  children: ReactNode;
  /** Whether the pill has the size of the text around it, for displays that are read from a distance. */
  isLarge?: boolean;
  testId?: string;
};

/** A state as shape and word on a softly tinted background. */
export function StatusPill({ tone, sign, children, isLarge = false, testId }: Props) {
  return (
    <span className={styles.pill} data-tone={tone} data-large={isLarge} data-testid={testId}>
      <span className={styles.sign} aria-hidden>
        {sign}
      </span>
      <span>{children}</span>
    </span>
  );
}
