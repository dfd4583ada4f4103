import { IconChevronDown, IconFilterFilled } from '@tabler/icons-react';
import type { IInnerHeaderComponent, IHeaderParams } from 'ag-grid-community';
import { useCallback } from 'react';

import styles from './table.module.css';

export type HeadParams = {
  open: (path: string, at: Element) => void;
  filtered: ReadonlySet<string>;
  menuOf: (column: string) => string;
};

/** A column's name, and the button for what can be done with the column. */
export function HeadCell({ displayName, column, open, filtered, menuOf }: IHeaderParams & HeadParams & Partial<IInnerHeaderComponent>) {
  const path = column.getColId();
  // The grid sorts by a click anywhere on the name; it listens below React.
  const own = useCallback(
    (button: HTMLButtonElement | null) => {
      const press = (event: Event) => {
        event.stopPropagation();
        if (event.type === 'click' && button) open(path, button);
      };
      button?.addEventListener('click', press);
      button?.addEventListener('pointerdown', press);
      return () => {
        button?.removeEventListener('click', press);
        button?.removeEventListener('pointerdown', press);
      };
    },
    [open, path],
  );
  const isFiltered = filtered.has(path);
  return (
    <span className={styles.head}>
      <span className={styles.headText}>{displayName}</span>
      <button ref={own} type="button" tabIndex={-1} className={styles.headButton} data-filtered={isFiltered} aria-label={menuOf(displayName)} data-testid={`column-${path}`}>
        {isFiltered ? <IconFilterFilled size={12} aria-hidden /> : <IconChevronDown size={12} aria-hidden />}
      </button>
    </span>
  );
}
