import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { DetailPanel } from '@/components/page/DetailPanel';
import styles from './pictures.module.css';

export type Pick = { title: string; rows: readonly number[]; labels: readonly string[] };

const most = 500;

/** Rows to choose from: those of one bar, or those that have no date. */
export function RowPicker({ pick, open, close }: { pick: Pick; open: (row: number) => void; close: () => void }) {
  const { t } = useTranslation();
  return (
    <DetailPanel title={pick.title} close={close}>
      <ul className={styles.picked} data-testid="picture-rows">
        {pick.rows.slice(0, most).map((row, at) => (
          <li key={row}>
            <UnstyledButton onClick={() => open(row)}>{pick.labels[at] || t('picture.row', { row: row + 1 })}</UnstyledButton>
          </li>
        ))}
      </ul>
      {pick.rows.length > most && <p className="muted">{t('picture.line.more', { count: pick.rows.length - most })}</p>}
    </DetailPanel>
  );
}
