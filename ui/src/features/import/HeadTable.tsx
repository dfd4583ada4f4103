import { useTranslation } from 'react-i18next';

import { type ImportView, commands } from '../../ipc/bindings';
import { columnLetters } from './letters';
import { useImport } from './session';
import styles from './file.module.css';

const mostColumns = 40;

/** The first rows as they stand, so that a person can say which one holds the headings. */
export function HeadTable({ view }: { view: ImportView }) {
  const { t } = useTranslation();
  const { apply } = useImport();
  const width = Math.min(mostColumns, Math.max(0, ...view.head.map((row) => row.cells.length)));
  const letters = Array.from({ length: width }, (_, index) => columnLetters(index));
  return (
    <div className={styles.scroll} role="region" aria-label={t('file.firstRows')} tabIndex={0}>
      <table className={styles.head} data-testid="head">
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
          {view.head.map((row) => (
            <tr
              key={row.row}
              data-heading={row.row === view.headerRow}
              data-above={view.headerRow !== null && row.row < view.headerRow}
            >
              <th scope="row">
                <label>
                  <input
                    type="radio"
                    name="heading"
                    checked={row.row === view.headerRow}
                    onChange={() => void apply(commands.importHeader(view.id, row.row))}
                    aria-label={t('file.headingRow', { row: row.row })}
                    data-testid={`heading-${row.row}`}
                  />
                  <span className="number">{row.row}</span>
                </label>
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
