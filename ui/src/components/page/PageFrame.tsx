import type { ReactNode } from 'react';

import styles from './page.module.css';

type Props = {
  title: string;
  /** Small text next to the title. */
  aside?: ReactNode;
  /** The page's main action, on the right. */
  action?: ReactNode;
  filter?: ReactNode;
  status?: ReactNode;
  children?: ReactNode;
  /** Whether the content fills the window's width, for grids. Other content has the page's margin. */
  edge?: boolean;
};

/** A page: title bar, filter bar, content, status bar. */
export function PageFrame({ title, aside, action, filter, status, children, edge = false }: Props) {
  return (
    <div className={styles.page}>
      <header className={styles.title}>
        <h1>{title}</h1>
        {aside && <div className={styles.aside}>{aside}</div>}
        {action && <div className={styles.action}>{action}</div>}
      </header>
      {filter && <div className={styles.filter}>{filter}</div>}
      <div className={edge ? styles.edge : styles.content}>{children}</div>
      {status && <footer className={styles.status}>{status}</footer>}
    </div>
  );
}
