import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { ImportView } from '@/ipc/bindings';
import type { FocusedCell } from './cells/cellRange';
import styles from './check.module.css';

type Props = { view: ImportView; focused: FocusedCell | null; shown: number };

/** What the file holds in the focused cell and what will be sent for it; why it is marked stands beside the cell itself. */
export function CellStatus({ view, focused, shown }: Props) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const all = view.rejectedRows || view.counts.rows;
  const column = view.columns.find((one) => one.index === focused?.column);
  const cell = column && focused?.row.cells[column.index];
  return (
    <footer className={styles.status}>
      <div className={styles.finding} role="status" data-testid="cell-status">
        {!focused && <span className="muted">{t('check.choose')}</span>}
        {cell && cell.was !== null && (
          <span className="muted">{cell.was ? t('check.was', { value: cell.was }) : t('check.wasEmpty')}</span>
        )}
        {cell?.read && cell.read !== cell.shown && <span className="muted">{t('check.sentAs', { value: cell.read })}</span>}
      </div>
      <span className="number muted" data-testid="rows-shown">
        {t('check.shown', { count: all, shown: number(shown), rows: number(all) })}
      </span>
    </footer>
  );
}
