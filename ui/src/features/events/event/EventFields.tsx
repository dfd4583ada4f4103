import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { type Row, cellText, isCode, isRow, toRows } from '@/base/values/cells';
import { useCellFormats } from '@/base/values/useCellFormats';
import { Provenance } from '@/components/marks/Provenance';
import { Markup } from '@/components/values/Markup';
import { OrderLink } from '@/components/values/OrderLink';
import { PartsTable, alignmentClass } from '@/components/values/PartsTable';
import type { Field, Value as JsonValue } from '@/ipc/bindings';
import styles from '../common/events.module.css';

type EventValueProps = { field: Field | null; value: JsonValue | undefined; orders: readonly string[] };

/** Matches date-times in fields that the contract declares as text. */
const DATE_TIME_PATTERN = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/u;

/** One value. Missing, null and empty values are shown differently, because they differ in meaning. */
function EventValue({ field, value, orders }: EventValueProps) {
  const { t } = useTranslation();
  const words = useCellFormats();
  if (value === undefined) return <span className="muted">{t('inbox.value.absent')}</span>;
  if (value === null) return <span className="muted">{t('inbox.value.null')}</span>;
  if (value === '') return <span className="muted">{t('inbox.value.empty')}</span>;
  if (Array.isArray(value) && value.length === 0) return <span className="muted">{t('inbox.value.none')}</span>;
  if (typeof value === 'string') {
    if (orders.includes(value)) return <OrderLink code={value} />;
    const text = DATE_TIME_PATTERN.test(value) ? words.serviceTime(value) : field ? cellText(value, field, words) : value;
    // The tooltip has the original text of a converted time span or date.
    if (text !== value) return <span title={value}>{text}</span>;
    return field && isCode(field, []) ? <span className="mono">{value}</span> : <Markup text={value} />;
  }
  if (typeof value === 'object') return <code>{JSON.stringify(value)}</code>;
  return field ? cellText(value, field, words) : String(value);
}

type Props = { fields: readonly Field[]; row: Row; orders: readonly string[] };

/** An event's members with the contract's names. Unknown members are listed below, unchanged. */
export function EventFields({ fields, row, orders }: Props) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const plain = fields.filter((field) => !isNested(field, row[field.name]));
  const nested = fields.filter((field) => isNested(field, row[field.name]));
  const fieldNames = new Set(fields.map((field) => field.name));
  const unknown = Object.keys(row).filter((member) => !fieldNames.has(member));
  return (
    <>
      <dl className={styles.pairs} data-testid="event-fields">
        {plain.map((field) => (
          <Fragment key={field.name}>
            <dt title={field.name}>
              <Provenance of={field}>
                {name(field) || field.name}
              </Provenance>
            </dt>
            <dd data-member={field.name}>
              <EventValue field={field} value={row[field.name]} orders={orders} />
            </dd>
          </Fragment>
        ))}
      </dl>
      {nested.map((field) => (
        <NestedValue key={field.name} field={field} value={row[field.name]} orders={orders} />
      ))}
      {unknown.length > 0 && <UnknownMembers title={t('inbox.notInContract')} members={unknown} row={row} orders={orders} />}
    </>
  );
}

function isNested(field: Field, value: JsonValue | undefined): boolean {
  return (Array.isArray(value) && value.length > 0) || (isRow(value) && field.kind === 'object');
}

type NestedProps = { field: Field; value: JsonValue | undefined; orders: readonly string[] };

/** A nested list with all members of its parts. A nested object shows its members. */
function NestedValue({ field, value, orders }: NestedProps) {
  const { name, number } = useFormats();
  const label = name(field) || field.name;
  if (isRow(value)) {
    return (
      <div>
        <h3 className={styles.partTitle}>{label}</h3>
        <div className={styles.inner}>
          <EventFields fields={field.fields} row={value} orders={orders} />
        </div>
      </div>
    );
  }
  const parts = toRows(Array.isArray(value) ? value : []).map((part, at) => ({ part, place: String(at) }));
  const flat = field.fields.every((inner) => parts.every(({ part }) => !isNested(inner, part[inner.name]))) && parts.every(({ part }) => Object.keys(part).every((member) => field.fields.some((inner) => inner.name === member)));
  return (
    <div>
      <h3 className={styles.partTitle}>
        {label} <span className="muted number">{number(parts.length)}</span>
      </h3>
      {flat && parts.length > 1 ? (
        <PartsList field={field} parts={parts} orders={orders} label={label} />
      ) : (
        parts.slice(0, MAX_PARTS).map(({ part, place }) => (
          <div key={place} className={styles.inner}>
            <EventFields fields={field.fields} row={part} orders={orders} />
          </div>
        ))
      )}
    </div>
  );
}

/** Maximum number of listed parts. More are shown as JSON. */
const MAX_PARTS = 50;

type PartsProps = { field: Field; parts: { part: Row; place: string }[]; orders: readonly string[]; label: string };

function PartsList({ field, parts, orders, label }: PartsProps) {
  return (
    <PartsTable label={label} fields={field.fields}>
      {parts.map(({ part, place }) => (
        <tr key={place}>
          {field.fields.map((inner) => (
            <td key={inner.name} className={alignmentClass(inner)}>
              <EventValue field={inner} value={part[inner.name]} orders={orders} />
            </td>
          ))}
        </tr>
      ))}
    </PartsTable>
  );
}

type UnknownProps = { title: string; members: string[]; row: Row; orders: readonly string[] };

function UnknownMembers({ title, members, row, orders }: UnknownProps) {
  return (
    <div className={styles.unknown} data-testid="event-unknown">
      <h3 className={styles.partTitle}>
        <span aria-hidden>◆</span> {title}
      </h3>
      <dl className={styles.pairs}>
        {members.map((member) => (
          <Fragment key={member}>
            <dt className="mono">{member}</dt>
            <dd>
              <EventValue field={null} value={row[member]} orders={orders} />
            </dd>
          </Fragment>
        ))}
      </dl>
    </div>
  );
}
