import type { ReactNode } from 'react';

import { useFormats } from '@/base/useFormats';
import { isNumeric } from '@/base/values/cells';
import type { Field } from '@/ipc/bindings';
import { Provenance } from '../marks/Provenance';
import styles from './values.module.css';

/** A nested list as a small table with a header per field. */
export function PartsTable({ label, fields, children }: { label: string; fields: readonly Field[]; children: ReactNode }) {
  const { name } = useFormats();
  return (
    <div className={styles.partScroll} role="group" aria-label={label} tabIndex={0}>
      <table className={styles.parts} aria-label={label}>
        <thead>
          <tr>
            {fields.map((field) => (
              <th key={field.name} scope="col" className={alignmentClass(field)}>
                <Provenance of={field}>{name(field) || field.name}</Provenance>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** Returns the alignment class of a field's header and cells. */
export function alignmentClass(field: Field): string | undefined {
  return isNumeric(field) ? styles.right : undefined;
}

/** Class of a table cell that contains a part's nested lists. */
export const innerCellClass = styles.inner;
