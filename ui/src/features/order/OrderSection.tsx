import { useId } from 'react';
import { useTranslation } from 'react-i18next';

import { useOperations } from '@/base/appState';
import { operationName, useFormats } from '@/base/useFormats';
import { type Row, cellText, toRows } from '@/base/values/cells';
import { useCellWords } from '@/base/values/useCellWords';
import { ProblemNote } from '@/components/notices/ProblemNote';
import type { Field, Operation, OrderList, OrderPart, OrderTimeSpan } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { ListLink } from './ListLink';
import { LoadingLines } from './LoadingLines';
import { PlainRows, withKeys } from './PlainRows';
import { useOrderList } from './useOrder';
import styles from './order.module.css';

type Props = {
  code: string;
  part: OrderPart;
  around: OrderTimeSpan | null;
  /** Whether the order was loaded. */
  ready: boolean;
};

/** One list's rows about the order. Each list loads independently. */
export function OrderSection({ code, part, around, ready }: Props) {
  const { t } = useTranslation();
  const id = useId();
  const { name, number, serviceTime } = useFormats();
  const operations = useOperations();
  const dates = part.by.by === 'dates';
  const { data, error, refetch } = useOrderList(code, part, dates ? around : null);
  const operation = operations.find((one) => one.id === part.operation);
  return (
    <section aria-labelledby={id} className={styles.section} data-testid={`order-section-${part.operation}`}>
      <header className={styles.head}>
        <h2 id={id}>
          {operationName(operations, part.operation, name)}{' '}
          {data && (
            <span className="muted number" data-testid={`order-count-${part.operation}`}>
              {number(data.total)}
            </span>
          )}
        </h2>
        {data && <ListLink operation={part.operation} parameters={data.parameters} {...(dates ? { find: code } : {})} />}
      </header>
      {dates && around && (
        <p className="muted small">{t('order.between', { from: serviceTime(around.from), to: serviceTime(around.to) })}</p>
      )}
      {dates && ready && !around && <p className="muted small">{t('order.noDates')}</p>}
      {error ? (
        <ProblemNote problem={toProblem(error)} again={() => void refetch()} quiet />
      ) : data && operation ? (
        <Body operation={operation} part={part} list={data} />
      ) : (
        !(dates && ready && !around) && <LoadingLines lines={2} />
      )}
    </section>
  );
}

type DatedRowsProps = { fields: readonly Field[]; rows: readonly Row[] };

/** Events of a list, latest first, with time and values. */
function DatedRows({ fields, rows }: DatedRowsProps) {
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

function Body({ operation, part, list }: { operation: Operation; part: OrderPart; list: OrderList }) {
  const { t } = useTranslation();
  const { name, number } = useFormats();
  const rows = toRows(list.rows);
  const fields = (operation.answer?.fields ?? []).filter((field) => field.name !== part.field);
  if (rows.length === 0) return <p className="muted small">{t('order.none')}</p>;
  // Rows without a key are events.
  const happened = operation.key.length === 0 && part.by.by === 'code';
  return (
    <>
      {list.total > rows.length && <p className="muted small">{t('order.first', { shown: number(rows.length), total: number(list.total) })}</p>}
      {happened ? (
        <DatedRows fields={fields} rows={rows} />
      ) : (
        <PlainRows label={name(operation)} fields={fields} rows={rows} keys={operation.key} testId={`order-rows-${operation.id}`} />
      )}
    </>
  );
}
