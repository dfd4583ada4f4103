import { useFormats } from '@/base/useFormats';
import { type Row, isCode, isRow } from '@/base/values/cells';
import { Provenance } from '@/components/marks/Provenance';
import type { Field, Value as JsonValue } from '@/ipc/bindings';
import { DetailParts } from './DetailParts';
import { DetailValue } from './DetailValue';
import { type Cuts, type Meaning, appendPointer } from './rowDetail';
import styles from './rowDetail.module.css';

type Props = { fields: Field[]; row: Row; keys: readonly string[]; path: string; cuts: Cuts; meaning: Meaning };

/** A part's members: plain ones as names and values, nested ones below. */
export function Members({ fields, row, keys, path, cuts, meaning }: Props) {
  const { name } = useFormats();
  const plain = fields.filter((field) => field.kind !== 'list' && !(isRow(row[field.name]) && field.kind === 'object'));
  const nested = fields.filter((field) => !plain.includes(field));
  return (
    <>
      <dl className={styles.members}>
        {plain.map((field) => (
          <div key={field.name}>
            <dt>
              <Provenance of={field}>
                {name(field) || field.name}
              </Provenance>
            </dt>
            <dd className={isCode(field, keys) ? 'mono' : 'number'}>
              <DetailValue field={field} value={row[field.name]} path={appendPointer(path, field.name)} cuts={cuts} meaning={meaning} />
            </dd>
          </div>
        ))}
      </dl>
      {nested.map((field) => (
        <Nested key={field.name} field={field} value={row[field.name]} path={appendPointer(path, field.name)} cuts={cuts} meaning={meaning} />
      ))}
    </>
  );
}

type NestedProps = { field: Field; value: JsonValue | undefined; path: string; cuts: Cuts; meaning: Meaning };

function Nested({ field, value, path, cuts, meaning }: NestedProps) {
  const { name } = useFormats();
  if (!isRow(value)) return <DetailParts field={field} value={value} path={path} cuts={cuts} meaning={meaning} />;
  const label = name(field) || field.name;
  return (
    <section aria-label={label}>
      <h2 className={styles.partTitle}>{label}</h2>
      <Members fields={field.fields} row={value} keys={[]} path={path} cuts={cuts} meaning={meaning} />
    </section>
  );
}
