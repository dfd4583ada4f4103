import { ActionIcon } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';

import styles from './detail.module.css';

type Props = { title: ReactNode; close: () => void; children: ReactNode; label?: string };

/** A panel for details on the right of the page, never over it. */
export function DetailPanel({ title, close, children, label }: Props) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <aside className={styles.panel} aria-labelledby={label ? undefined : id} aria-label={label} data-testid="detail">
      <header className={styles.head}>
        <h2 id={id}>{title}</h2>
        <ActionIcon variant="subtle" color="petrol" size="sm" onClick={close} aria-label={t('common.closePanel')}>
          <IconX size={16} aria-hidden />
        </ActionIcon>
      </header>
      <div className={styles.body} tabIndex={0}>
        {children}
      </div>
    </aside>
  );
}
