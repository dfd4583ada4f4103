import type { ReactNode } from 'react';

import styles from './page.module.css';

type Props = {
  /** The title bar's heading. Without it there is no title bar. */
  title?: string;
  /** Small text next to the title. */
  subtitle?: ReactNode;
  /** The page's main action, on the right. */
  action?: ReactNode;
  filter?: ReactNode;
  status?: ReactNode;
  children?: ReactNode;
  /** Whether the content fills the window's width, for grids. Other content has the page's margin. */
  isFullWidth?: boolean;
  /** Whether parts that are side by side are stacked in a narrow window, or at 200 % zoom. The page scrolls then. */
  stacks?: boolean;
};

/** A page: title bar, filter bar, content, status bar. */
export function PageFrame({ title, subtitle, action, filter, status, children, isFullWidth = false, stacks = false }: Props) {
  return (
    <div className={styles.page}>
      {title !== undefined && (
        <header className={styles.title}>
          <h1>{title}</h1>
          {subtitle && <div className={styles.aside}>{subtitle}</div>}
          {action && <div className={styles.action}>{action}</div>}
        </header>
      )}
      {filter && <div className={styles.filter}>{filter}</div>}
      <div className={isFullWidth ? styles.edge : styles.content} data-stacks={stacks}>{children}</div>
      {status && <footer className={styles.status}>{status}</footer>}
    </div>
  );
}
