import { useTranslation } from 'react-i18next';

import { useFormats } from '../../app/useFormats';
import { Assumed } from '../../components/Assumed';
import { DetailPanel } from '../../components/DetailPanel';
import type { Field, Value as JsonValue, Operation } from '../../ipc/bindings';
import { type Row, isCode, isRow, shown, toRows } from './cells';
import { useCellWords } from './useCellWords';
import styles from './browse.module.css';

type Props = { operation: Operation; row: Row; close: () => void };

/** One row with all its members; nested lists as small tables. Markup in texts stays text. */
export function RowDetail({ operation, row, close }: Props) {
  const { t } = useTranslation();
  const fields = operation.answer?.fields ?? [];
  const known = new Set(fields.map((field) => field.name));
  const unknown = Object.keys(row).filter((member) => !known.has(member));
  const title = operation.key.map((member) => row[member]).filter((part) => typeof part === 'string' || typeof part === 'number');
  return (
    <DetailPanel title={title.length > 0 ? <code>{title.join(' · ')}</code> : t('browse.detail')} close={close}>
      <Members fields={fields} row={row} keys={operation.key} />
      {unknown.length > 0 && (
        <>
          <h2 className={styles.partTitle}>{t('browse.unknownFields')}</h2>
          <dl className={styles.members}>
            {unknown.map((member) => (
              <Raw key={member} member={member} value={row[member]} />
            ))}
          </dl>
        </>
      )}
    </DetailPanel>
  );
}

function Members({ fields, row, keys }: { fields: Field[]; row: Row; keys: readonly string[] }) {
  const { name } = useFormats();
  const words = useCellWords();
  const plain = fields.filter((field) => field.kind !== 'list' && !(field.kind === 'object' && isRow(row[field.name])));
  const nested = fields.filter((field) => !plain.includes(field));
  return (
    <>
      <dl className={styles.members}>
        {plain.map((field) => {
          const text = shown(row[field.name], field, words);
          return (
            <div key={field.name}>
              <dt>
                <Assumed level={field.provenance.level} source={field.provenance.source}>
                  {name(field) || field.name}
                </Assumed>
              </dt>
              <dd className={isCode(field, keys) ? 'mono' : 'number'}>{text || '–'}</dd>
            </div>
          );
        })}
      </dl>
      {nested.map((field) => (
        <Nested key={field.name} field={field} value={row[field.name]} />
      ))}
    </>
  );
}

function Nested({ field, value }: { field: Field; value: JsonValue | undefined }) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const words = useCellWords();
  const label = name(field) || field.name;
  if (isRow(value)) {
    return (
      <section aria-label={label}>
        <h2 className={styles.partTitle}>{label}</h2>
        <Members fields={field.fields} row={value} keys={[]} />
      </section>
    );
  }
  // Parts have no key of their own; their place in the list is what they are told apart by.
  const rows = (Array.isArray(value) ? toRows(value) : []).map((part, place) => ({ part, place: String(place) }));
  return (
    <div>
      <h2 className={styles.partTitle}>
        {label} <span className="muted number">{rows.length}</span>
      </h2>
      {rows.length === 0 ? (
        <p className="muted small">{t('browse.none')}</p>
      ) : (
        <div className={styles.partScroll} role="region" aria-label={label} tabIndex={0}>
          <table className={styles.parts}>
            <thead>
              <tr>
                {field.fields.map((part) => (
                  <th key={part.name} scope="col">
                    {name(part) || part.name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ part, place }) => (
                <tr key={place}>
                  {field.fields.map((inner) => (
                    <td key={inner.name} className={isCode(inner, []) ? 'mono' : 'number'}>
                      {shown(part[inner.name], inner, words)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

function Raw({ member, value }: { member: string; value: JsonValue | undefined }) {
  return (
    <div>
      <dt>{member}</dt>
      <dd className="mono">{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
    </div>
  );
}
