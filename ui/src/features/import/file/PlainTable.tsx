import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import type { HeadRow } from '@/ipc/bindings';
import styles from './file.module.css';

/** Converts a 0-based column index to letters as in Excel. */
export function columnLetters(index: number): string {
  let rest = index;
  let letters = '';
  do {
    letters = String.fromCodePoint(65 + (rest % 26)) + letters;
    rest = Math.floor(rest / 26) - 1;
  } while (rest >= 0);
  return letters;
}

const MAX_COLUMNS = 40;

type Props = {
  rows: readonly HeadRow[];
  label: string;
  testId?: string;
  /** The header row, if any. Rows above it are dimmed. */
  headerRow?: number | null;
  /** Renders a row's number. Without it, the number is shown as text. */
  number?: (row: number) => ReactNode;
};

/** Rows of the file with its row numbers and column letters. */
export function PlainTable({ rows, label, testId, headerRow = null, number }: Props) {
  const { t } = useTranslation();
  const width = Math.min(MAX_COLUMNS, Math.max(0, ...rows.map((row) => row.cells.length)));
  const letters = Array.from({ length: width }, (_, index) => columnLetters(index));
  return (
    <div className={styles.scroll} role="region" aria-label={label} tabIndex={0}>
      <table className={styles.head} aria-label={label} data-testid={testId}>
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
            <tr
              key={row.row}
              data-heading={row.row === headerRow}
              data-above={headerRow !== null && row.row < headerRow}
            >
              <th scope="row" className={number ? undefined : styles.rowNumber}>
                {number ? number(row.row) : row.row}
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
