import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '../../app/useFormats';
import { ChangeMenu } from './ChangeMenu';
import styles from './rows.module.css';

type Props = {
  list: string;
  set: number;
  positions: number[];
  clear: () => void;
  /** What else can be done with the rows. */
  children?: ReactNode;
};

/** The rows that were selected, and what can be done with them. */
export function SelectionBar({ list, set, positions, clear, children }: Props) {
  const { t } = useTranslation();
  const { number } = useFormats();
  if (positions.length === 0) return null;
  return (
    <section className={styles.bar} aria-label={t('rows.selection')} data-testid="selection">
      <span className="number" role="status">
        {t('rows.selected', { count: positions.length, rows: number(positions.length) })}
      </span>
      <ChangeMenu list={list} set={set} positions={positions} size="xs" />
      {children}
      <Button variant="subtle" size="xs" onClick={clear} data-testid="selection-clear">
        {t('rows.clear')}
      </Button>
    </section>
  );
}
