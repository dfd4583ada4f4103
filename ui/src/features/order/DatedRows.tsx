import { useFormats } from '@/base/useFormats';
import { type Row, cellText } from '@/base/values/cells';
import { useCellWords } from '@/base/values/useCellWords';
import type { Field } from '@/ipc/bindings';
import { withKeys } from './PlainRows';
import styles from './order.module.css';

type Props = { fields: readonly Field[]; rows: readonly Row[] };

/** Events of a list, latest first, with time and values. */
export function DatedRows({ fields, rows }: Props) {
  const { name } = useFormats();
  const words = useCellWords();
  const when = fields.find((field) => field.kind === 'date-time');
  const otherFields = fields.filter((field) => field !== when);
  const sorted = when ? rows.toSorted((a, b) => String(b[when.name] ?? '').localeCompare(String(a[when.name] ?? ''))) : rows;
  return (
    <ol className={styles.line} data-testid="order-line">
      {withKeys(sorted).map(({ row, place }) => (
        <li key={place}>
          {when && <time className="number">{cellText(row[when.name], when, words)}</time>}
          <div className={styles.said}>
            {otherFields.map((field) => {
              const text = cellText(row[field.name], field, words);
              if (text === '') return null;
              return (
                <span key={field.name} title={name(field) || field.name}>
                  {field.kind === 'text' ? text : `${name(field) || field.name} ${text}`}
                </span>
              );
            })}
          </div>
        </li>
      ))}
    </ol>
  );
}
