import { useTranslation } from 'react-i18next';

import { type ValueLinks, useRowLinks } from '@/base/links/useValueLinks';
import { useFormats } from '@/base/useFormats';
import { type Row, isCode, cellText } from '@/base/values/cells';
import { useCellFormats } from '@/base/values/useCellFormats';
import { Provenance } from '@/components/marks/Provenance';
import { CodeLink } from '@/components/values/CodeLink';
import type { Value as JsonValue, Operation, OrderList } from '@/ipc/bindings';
import { ListLink } from './ListLink';
import styles from './order.module.css';

type Props = { operation: Operation; list: OrderList; rows: readonly Row[]; code: string };

/** The order's operations, one per column. Each field with a value has a row. */
export function OrderOperations({ operation, list, rows, code }: Props) {
  const { t } = useTranslation();
  const { name, number } = useFormats();
  const words = useCellFormats();
  const places = useRowLinks(operation);
  const head = operation.key.filter((member) => member !== code);
  const fields = (operation.answer?.fields ?? []).filter((field) => field.kind !== 'list' && field.name !== code);
  const shownFields = fields.filter(
    (field) => !head.includes(field.name) && rows.some((row) => cellText(row[field.name], field, words) !== ''),
  );
  return (
    <section aria-labelledby="order-operations" className={styles.section} data-testid="order-operations">
      <header className={styles.head}>
        <h2 id="order-operations">
          {t('order.operations')} <span className="muted number">{number(list.total)}</span>
        </h2>
        <ListLink operation={operation.id} parameters={list.parameters} />
      </header>
      {list.total > rows.length && <p className="muted small">{t('order.first', { shown: number(rows.length), total: number(list.total) })}</p>}
      <div className={styles.wide} role="group" aria-label={t('order.operations')} tabIndex={0}>
        <table className={styles.beside} aria-labelledby="order-operations">
          <thead>
            <tr>
              <th scope="col">{head.map((member) => fieldName(operation, member, name)).join(' · ')}</th>
              {rows.map((row) => (
                <th key={rowKey(row, head)} scope="col" className="mono">
                  {rowKey(row, head)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shownFields.map((field) => (
              <tr key={field.name} data-field={field.name}>
                <th scope="row">
                  <Provenance of={field}>
                    {name(field) || field.name}
                  </Provenance>
                </th>
                {rows.map((row) => (
                  <td key={rowKey(row, head)} className={isCode(field, operation.key) ? 'mono' : 'number'}>
                    <LinkedValue text={cellText(row[field.name], field, words)} value={row[field.name]} leads={places.get(field.name)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

type LinkedValueProps = { text: string; value: JsonValue | undefined; leads: ReturnType<ValueLinks['get']> };

/** A value, with a link if its field refers to another item. */
function LinkedValue({ text, value, leads }: LinkedValueProps) {
  if (!leads || text === '' || (typeof value !== 'string' && typeof value !== 'number')) return text || '–';
  return <CodeLink text={text} place={leads(String(value))} />;
}

/** Returns a row's key within its order, as text. */
export function rowKey(row: Row, members: readonly string[]): string {
  return members.map((member) => String(row[member] ?? '')).join(' · ');
}

function fieldName(operation: Operation, member: string, name: ReturnType<typeof useFormats>['name']): string {
  const field = operation.answer?.fields.find((one) => one.name === member);
  return field ? name(field) || member : member;
}
