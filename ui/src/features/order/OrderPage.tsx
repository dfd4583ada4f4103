import { Anchor, Button } from '@mantine/core';
import { spotlight } from '@mantine/spotlight';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId } from 'react';
import { useTranslation } from 'react-i18next';

import { useOperations, useSite } from '@/base/appState';
import { resultWord } from '@/base/engineTexts';
import { useOrderLists } from '@/base/links/useOrderLists';
import { useNavigation } from '@/base/navigation';
import { queryKeys } from '@/base/queryKeys';
import { operationName, useFormats } from '@/base/useFormats';
import { type Row, cellText, isCode, isNumeric, toRows } from '@/base/values/cells';
import { useCellFormats } from '@/base/values/useCellFormats';
import { CopyLinkButton } from '@/components/controls/CopyLinkButton';
import { Provenance } from '@/components/marks/Provenance';
import { ResultSign } from '@/components/marks/StatusMarks';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { EmptyState } from '@/components/page/EmptyState';
import { PageFrame } from '@/components/page/PageFrame';
import { ChangeMenu } from '@/features/rows';
import { SignInPanel } from '@/features/sign-in';
import { type Field, type Operation, type OrderList, type OrderPart, type OrderSubmission, type OrderTimeSpan, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';

import { ListLink } from './ListLink';
import { LoadingLines } from './LoadingLines';
import { rowKey, OrderOperations } from './OrderOperations';
import { OrderTimeline } from './OrderTimeline';
import { PlanBars } from './PlanBars';
import { useOrderList, useOrderSubmissions, useRefreshOrder } from './useOrder';
import styles from './order.module.css';

type OrderListsProps = { operation: Operation; rows: readonly Row[]; code: string };

/** A row of a nested list. `parentKey` is the key of the row that contains it. */
type NestedRow = { parentKey: string; row: Row };

/** Nested lists of the order's operations, such as materials with lots, properties and quantities. */
function OrderLists({ operation, rows, code }: OrderListsProps) {
  const { name } = useFormats();
  const head = operation.key.filter((member) => member !== code);
  const fields = operation.answer?.fields ?? [];
  const heading = fields.filter((field) => head.includes(field.name)).map((field) => name(field) || field.name);
  const all = rows.map((row) => ({ parentKey: rowKey(row, head), row }));
  return fields
    .filter((field) => field.kind === 'list')
    .map((field) => <NestedList key={field.name} path={field.name} field={field} parents={all} heading={heading.join(' · ')} />);
}

type PlainRowsProps = {
  label: string;
  fields: readonly Field[];
  rows: readonly Row[];
  /** Names of the key's members, which are shown in monospace. */
  keys: readonly string[];
  /** Heading and cells of an additional first column. */
  firstColumn?: { heading: ReactNode; cell: (row: Row) => ReactNode } | undefined;
  testId: string;
};

/** Rows as a plain table without empty columns. */
function PlainRows({ label, fields, rows, keys, firstColumn, testId }: PlainRowsProps) {
  const { name } = useFormats();
  const words = useCellFormats();
  const columns = fields.filter((field) => rows.some((row) => cellText(row[field.name], field, words) !== ''));
  return (
    <div className={styles.scroll} role="group" aria-label={label} tabIndex={0}>
      <table className={styles.table} aria-label={label} data-testid={testId}>
        <thead>
          <tr>
            {firstColumn && <th scope="col">{firstColumn.heading}</th>}
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
              {firstColumn && <td className="mono">{firstColumn.cell(row)}</td>}
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

/** Adds each row's index, which is the React key. Not every list has keys. */
function withKeys(rows: readonly Row[]): { row: Row; place: string }[] {
  return rows.map((row, place) => ({ row, place: String(place) }));
}

type NestedListProps = { path: string; field: Field; parents: readonly NestedRow[]; heading: string };

function NestedList({ path, field, parents, heading }: NestedListProps) {
  const { name, number } = useFormats();
  const parts = parents.flatMap(({ parentKey, row }): NestedRow[] => {
    const list = row[field.name];
    return Array.isArray(list) ? toRows(list).map((part) => ({ parentKey, row: part })) : [];
  });
  if (parts.length === 0) return null;
  const label = name(field) || field.name;
  const first = field.fields.find((one) => one.kind === 'text');
  const inner = first ? parts.map(({ parentKey, row }) => ({ parentKey: `${parentKey} · ${String(row[first.name] ?? '')}`, row })) : parts;
  const parentKeys = new Map(parts.map((part) => [part.row, part.parentKey]));
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
        firstColumn={{ heading, cell: (row) => parentKeys.get(row) }}
        testId={`order-list-${path}`}
      />
      {field.fields
        .filter((one) => one.kind === 'list')
        .map((one) => (
          <NestedList key={one.name} path={`${path}-${one.name}`} field={one} parents={inner} heading={label} />
        ))}
    </section>
  );
}

/** Shows all known data about one order: its operations, lists, events and submissions. */
export function OrderPage({ code }: { code: string }) {
  const { t } = useTranslation();
  const site = useSite();
  if (site && !site.signedIn) {
    return (
      <PageFrame title={code}>
        <SignInPanel why={t('browse.signInFirst')} />
      </PageFrame>
    );
  }
  return <OrderContent key={`${site?.site.name}·${code}`} code={code} />;
}

type OrderSectionProps = {
  code: string;
  part: OrderPart;
  timeSpan: OrderTimeSpan | null;
  /** Whether the order was read. Only then, a null `timeSpan` means that the order has no dates. */
  ready: boolean;
};

/** The rows of one list about the order. Each list loads independently. */
function OrderSection({ code, part, timeSpan, ready }: OrderSectionProps) {
  const { t } = useTranslation();
  const id = useId();
  const { name, number, serviceTime } = useFormats();
  const operations = useOperations();
  const dates = part.by.by === 'dates';
  const { data, error, refetch } = useOrderList(code, part, dates ? timeSpan : null);
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
      {dates && timeSpan && (
        <p className="muted small">{t('order.between', { from: serviceTime(timeSpan.from), to: serviceTime(timeSpan.to) })}</p>
      )}
      {dates && ready && !timeSpan && <p className="muted small">{t('order.noDates')}</p>}
      {error ? (
        <ProblemNote problem={toProblem(error)} retry={() => void refetch()} isSubtle />
      ) : data && operation ? (
        <SectionRows operation={operation} part={part} list={data} />
      ) : (
        !(dates && ready && !timeSpan) && <LoadingLines lines={2} />
      )}
    </section>
  );
}

type DatedRowsProps = { fields: readonly Field[]; rows: readonly Row[] };

/** Rows that record events, latest first, with time and values. */
function DatedRows({ fields, rows }: DatedRowsProps) {
  const { name } = useFormats();
  const words = useCellFormats();
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

function SectionRows({ operation, part, list }: { operation: Operation; part: OrderPart; list: OrderList }) {
  const { t } = useTranslation();
  const { name, number } = useFormats();
  const rows = toRows(list.rows);
  const fields = (operation.answer?.fields ?? []).filter((field) => field.name !== part.field);
  if (rows.length === 0) return <p className="muted small">{t('order.none')}</p>;
  // A list without a key contains events.
  const isEventList = operation.key.length === 0 && part.by.by === 'code';
  return (
    <>
      {list.total > rows.length && <p className="muted small">{t('order.first', { shown: number(rows.length), total: number(list.total) })}</p>}
      {isEventList ? (
        <DatedRows fields={fields} rows={rows} />
      ) : (
        <PlainRows label={name(operation)} fields={fields} rows={rows} keys={operation.key} testId={`order-rows-${operation.id}`} />
      )}
    </>
  );
}

/** The submissions that contain the order: user, time and results. */
function SentSubmissions({ code }: { code: string }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { data, error, refetch } = useOrderSubmissions(code);
  return (
    <section aria-labelledby="order-sent" className={styles.section} data-testid="order-sent">
      <header className={styles.head}>
        <h2 id="order-sent">
          {t('order.sent')} {data && <span className="muted number">{number(data.length)}</span>}
        </h2>
      </header>
      {error ? (
        <ProblemNote problem={toProblem(error)} retry={() => void refetch()} isSubtle />
      ) : !data ? (
        <LoadingLines lines={2} />
      ) : data.length === 0 ? (
        <p className="muted small">{t('order.neverSent')}</p>
      ) : (
        <ol className={styles.line}>
          {data.map((one) => (
            <SubmissionRow key={one.submission.id} sent={one} />
          ))}
        </ol>
      )}
    </section>
  );
}

function SubmissionRow({ sent: { submission, rows } }: { sent: OrderSubmission }) {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const { name, dateTime } = useFormats();
  const operations = useOperations();
  return (
    <li>
      <time className="number">{dateTime(submission.started)}</time>
      <div className={styles.said}>
        <Anchor
          component="button"
          type="button"
          fz="inherit"
          onClick={() => go({ page: 'history', submission: submission.id })}
          data-testid={`order-submission-${submission.id}`}
        >
          {t('history.submission', { id: submission.id })}
        </Anchor>
        <span>{operationName(operations, submission.operation, name)}</span>
        <span>{submission.person}</span>
        {rows.map((row) => (
          <span key={`${row.sheet}·${row.row}`}>
            <ResultSign result={row.result} /> {resultWord(row.result)} <span className="mono">{row.key}</span>
          </span>
        ))}
      </div>
    </li>
  );
}

function OrderContent({ code }: { code: string }) {
  const { t } = useTranslation();
  const { timeOfDay } = useFormats();
  const { parts } = useOrderLists();
  const refresh = useRefreshOrder(code);
  const ownPart = parts.find((part) => part.own);
  const { data, error, isFetching, dataUpdatedAt } = useOrderList(code, ownPart, null);
  const otherParts = parts.filter((part) => !part.own);
  const missing = data?.total === 0;
  useRememberOrder(data?.set);
  return (
    <PageFrame
      title={t('order.title', { code })}
      subtitle={dataUpdatedAt > 0 && <span data-testid="order-read">{t('order.read', { time: timeOfDay(new Date(dataUpdatedAt).toISOString()) })}</span>}
      action={
        <>
          {ownPart && data && data.total > 0 && (
            <ChangeMenu list={ownPart.operation} set={data.set} positions={Array.from({ length: data.total }, (_, place) => place)} />
          )}
          {data && data.total > 0 && <CopyLinkButton link={() => commands.orderLink(code)} />}
          <Button variant="default" onClick={refresh} loading={isFetching} data-testid="order-refresh">
            {t('order.refresh')}
          </Button>
        </>
      }
    >
      <div className={styles.page} data-testid="order">
        {error && <ProblemNote problem={toProblem(error)} retry={refresh} />}
        {missing && <UnknownOrder code={code} />}
        <OrderTimeline code={code} />
        <div className={styles.columns}>
          {ownPart && !error && !missing && (
            <div className={styles.column}>
              <OwnOperations part={ownPart} list={data ?? null} />
            </div>
          )}
          <div className={styles.column}>
            {otherParts.map((part) => (
              <OrderSection key={part.operation} code={code} part={part} timeSpan={data?.around ?? null} ready={data !== undefined} />
            ))}
            <SentSubmissions code={code} />
          </div>
        </div>
      </div>
    </PageFrame>
  );
}

/** Adds the order to the search's recent orders once it was read. */
function useRememberOrder(set: number | undefined): void {
  const queries = useQueryClient();
  const site = useSite()?.site.name;
  useEffect(() => {
    if (set !== undefined) void queries.invalidateQueries({ queryKey: queryKeys.recentOrders(site) });
  }, [queries, site, set]);
}

/** Shows that the site lacks the order. Its events and submissions may still be listed below. */
function UnknownOrder({ code }: { code: string }) {
  const { t } = useTranslation();
  return (
    <EmptyState
      picture="order"
      text={
        <>
          <b>{t('order.unknown', { code })}</b> {t('order.unknownHint')}
        </>
      }
      action={
        <Button variant="default" onClick={spotlight.open} data-testid="order-search">
          {t('order.search')}
        </Button>
      }
      testId="order-unknown"
    />
  );
}

type OrderPlanProps = { operation: Operation; rows: readonly Row[]; code: string; now: string };

/** The planned and actual times of the order's operations. The contract's plan picture defines the fields. */
function OrderPlan({ operation, rows, code, now }: OrderPlanProps) {
  const draw = operation.pictures.map((picture) => picture.draw).find(({ kind }) => kind === 'plan');
  if (draw?.kind !== 'plan') return null;
  const head = operation.key.filter((member) => member !== code);
  return <PlanBars rows={rows} label={(row) => rowKey(row, head)} planned={draw.planned} actual={draw.real ?? null} status={draw.status ?? null} now={now} />;
}

/** The order's operations side by side, and their nested lists. */
function OwnOperations({ part, list }: { part: OrderPart; list: OrderList | null }) {
  const operation = useOperations().find((one) => one.id === part.operation);
  if (!operation || !list) return <LoadingLines lines={8} />;
  const rows = toRows(list.rows);
  return (
    <>
      <OrderPlan operation={operation} rows={rows} code={part.field} now={list.now} />
      <OrderOperations operation={operation} list={list} rows={rows} code={part.field} />
      <OrderLists operation={operation} rows={rows} code={part.field} />
    </>
  );
}
