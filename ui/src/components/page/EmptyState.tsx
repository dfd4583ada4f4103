import type { ReactNode } from 'react';

import { EmptyPicture, type EmptyPictureName } from './EmptyPicture';
import styles from './emptyState.module.css';

type Props = {
  picture: EmptyPictureName;
  /** One sentence: what is missing, and how it appears. */
  text: ReactNode;
  /** The button for the next step, if there is one. */
  action?: ReactNode;
  testId?: string;
};

/** Shown instead of an empty page or list: a picture, one sentence and a button. */
export function EmptyState({ picture, text, action, testId }: Props) {
  return (
    <div className={styles.empty} data-testid={testId}>
      <EmptyPicture name={picture} />
      <p className={styles.text}>{text}</p>
      {action && <div className={styles.action}>{action}</div>}
    </div>
  );
}
