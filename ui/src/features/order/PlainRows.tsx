import type { ReactNode } from 'react';

import { useFormats } from '@/base/useFormats';
import { type Row, isCode, isNumeric, cellText } from '@/base/values/cells';
import { useCellWords } from '@/base/values/useCellWords';
import { Provenance } from '@/components/marks/Provenance';
import type { Field } from '@/ipc/bindings';
import styles from './order.module.css';

type Props = {
  label: string;
  fields: readonly Field[];
  rows: readonly Row[];
  /** Names of the key's members, which are codes. */
  keys: readonly string[];
  /** An extra first column. */
  lead?: { heading: ReactNode; cell: (row: Row) => ReactNode } | undefined;
  testId: string;
};

/** Rows as a plain table without empty columns. */
export function PlainRows({ label, fields, rows, keys, lead, testId }: Props) {
  const { name } = useFormats();
  const words = useCellWords();
  const columns = fields.filter((field) => rows.some((row) => cellText(row[field.name], field, words) !== ''));
  return (
    <div className={styles.scroll} role="group" aria-label={label} tabIndex={0}>
      <table className={styles.table} aria-label={label} data-testid={testId}>
        <thead>
          <tr>
            {lead && <th scope="col">{lead.heading}</th>}
            {columns.map((field) => (
              <th key={field.name} scope="col" className={isNumeric(field) ? styles.numeric : undefined}>
                <Provenance of={field}>
                  {name(field) || field.name}
                </Provenance>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {withKeys(rows).map(({ row, place }) => (
            <tr key={place}>
              {lead && <td className="mono">{lead.cell(row)}</td>}
              {columns.map((field) => (
                <td
                  key={field.name}
                  data-field={field.name}
                  className={isCode(field, keys) ? 'mono' : isNumeric(field) ? styles.numeric : field.kind === 'text' ? styles.words : undefined}
                >
                  {cellText(row[field.name], field, words)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Adds the row's index as a key, because not every list has keys. */
export function withKeys(rows: readonly Row[]): { row: Row; place: string }[] {
  return rows.map((row, place) => ({ row, place: String(place) }));
}
