import { createPortal } from 'react-dom';

import styles from './printTable.module.css';

export type PrintedTable = {
  title: string;
  /** What it holds, and as of when. */
  about: string;
  head: readonly string[];
  /** Texts of the rows' cells. */
  rows: readonly (readonly string[])[];
};

/** What is printed in place of the window: a table whose headings stand on each page. It stands beside the window, so that all of that can be left out. */
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
              // Two columns may be called the same.
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
