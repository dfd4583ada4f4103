import { useFormats } from '@/base/useFormats';
import { type Row, toRows } from '@/base/values/cells';
import type { Field, Operation } from '@/ipc/bindings';
import { key } from './Operations';
import { PlainRows } from './PlainRows';
import styles from './order.module.css';

type Props = { operation: Operation; rows: readonly Row[]; code: string };

/** What a part belongs to. */
type Part = { of: string; row: Row };

/** What the order's operations carry as lists: materials with their lots, properties, quantities. */
export function OrderLists({ operation, rows, code }: Props) {
  const { name } = useFormats();
  const head = operation.key.filter((member) => member !== code);
  const fields = operation.answer?.fields ?? [];
  const heading = fields.filter((field) => head.includes(field.name)).map((field) => name(field) || field.name);
  const all = rows.map((row) => ({ of: key(row, head), row }));
  return fields
    .filter((field) => field.kind === 'list')
    .map((field) => <List key={field.name} path={field.name} field={field} parents={all} heading={heading.join(' · ')} />);
}

type ListProps = { path: string; field: Field; parents: readonly Part[]; heading: string };

function List({ path, field, parents, heading }: ListProps) {
  const { name, number } = useFormats();
  const parts = parents.flatMap(({ of, row }): Part[] => {
    const list = row[field.name];
    return Array.isArray(list) ? toRows(list).map((part) => ({ of, row: part })) : [];
  });
  if (parts.length === 0) return null;
  const label = name(field) || field.name;
  const first = field.fields.find((one) => one.kind === 'text');
  const inner = first ? parts.map(({ of, row }) => ({ of: `${of} · ${String(row[first.name] ?? '')}`, row })) : parts;
  const of = new Map(parts.map((part) => [part.row, part.of]));
  return (
    <section aria-label={label} className={styles.section}>
      <header className={styles.head}>
        <h2>
          {label} <span className="muted number">{number(parts.length)}</span>
        </h2>
      </header>
      <PlainRows
        label={label}
        fields={field.fields.filter((part) => part.kind !== 'list')}
        rows={parts.map((part) => part.row)}
        keys={[]}
        lead={{ heading, cell: (row) => of.get(row) }}
        testId={`order-list-${path}`}
      />
      {field.fields
        .filter((one) => one.kind === 'list')
        .map((one) => (
          <List key={one.name} path={`${path}-${one.name}`} field={one} parents={inner} heading={label} />
        ))}
    </section>
  );
}
