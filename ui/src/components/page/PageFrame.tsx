import type { ReactNode } from 'react';

import styles from './page.module.css';

type Props = {
  title: string;
  /** Beside the title, in small: what it is about. */
  aside?: ReactNode;
  /** The page's main action, at the right. */
  action?: ReactNode;
  filter?: ReactNode;
  status?: ReactNode;
  children?: ReactNode;
  /** The content reaches the window's edge (grids) instead of keeping the page's margin. */
  edge?: boolean;
};

/** A page: title line, filter line, content, status line. */
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
