import { useTranslation } from 'react-i18next';

import type { HeadRow } from '../../ipc/bindings';
import { columnLetters } from './letters';
import styles from './file.module.css';

const mostColumns = 40;

type Props = { rows: readonly HeadRow[]; label: string; testId?: string };

/** Rows as the file has them, with the file's own numbers and letters. */
export function PlainTable({ rows, label, testId }: Props) {
  const { t } = useTranslation();
  const width = Math.min(mostColumns, Math.max(0, ...rows.map((row) => row.cells.length)));
  const letters = Array.from({ length: width }, (_, index) => columnLetters(index));
  return (
    <div className={styles.scroll} role="region" aria-label={label} tabIndex={0}>
      <table className={styles.head} data-testid={testId}>
        <thead>
          <tr>
            <th scope="col">
              <span className="hidden">{t('check.row')}</span>
            </th>
            {letters.map((letter) => (
              <th key={letter} scope="col">
                {letter}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.row}>
              <th scope="row" className={styles.rowNumber}>
                {row.row}
              </th>
              {letters.map((letter, index) => (
                <td key={letter} title={row.cells[index]}>
                  {row.cells[index] ?? ''}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
