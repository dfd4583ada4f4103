import { createPortal } from 'react-dom';

import styles from './printTable.module.css';

export type PrintedTable = {
  title: string;
  /** A line above the table with its content and date. */
  about: string;
  head: readonly string[];
  /** The rows' cell texts. */
  rows: readonly (readonly string[])[];
};

/**
 * The table that is printed instead of the window, with its header row on each page. It is rendered outside the window, which
 * print styles hide.
 */
export function PrintTable({ table }: { table: PrintedTable | null }) {
  if (!table) return null;
  return createPortal(
    <div className={styles.paper} data-testid="table-paper">
      <h1>{table.title}</h1>
      <p>{table.about}</p>
      <table aria-label={table.title}>
        <thead>
          <tr>
            {table.head.map((name, at) => (
              // Column names aren't unique.
              // oxlint-disable-next-line no-array-index-key
              <th key={at} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((cells, row) => (
            // oxlint-disable-next-line no-array-index-key
            <tr key={row}>
              {cells.map((text, at) => (
                // oxlint-disable-next-line no-array-index-key
                <td key={at}>{text}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>,
    document.body,
  );
}
