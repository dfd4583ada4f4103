import { Button } from '@mantine/core';
import { spotlight } from '@mantine/spotlight';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';

import { useOperations, useSite } from '@/base/appState';
import { useOrderLists } from '@/base/links/useOrderLists';
import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { type Row, toRows } from '@/base/values/cells';
import { LinkButton } from '@/components/controls/LinkButton';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { PageFrame } from '@/components/page/PageFrame';
import { ChangeMenu } from '@/features/rows';
import { SignInPanel } from '@/features/sign-in';
import { commands, type Field, type Operation, type OrderList, type OrderPart } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';

import { LoadingLines } from './LoadingLines';
import { rowKey, Operations } from './Operations';
import { OrderSection } from './OrderSection';
import { OrderTimeline } from './OrderTimeline';
import { PlanBars } from './PlanBars';
import { SentSubmissions } from './SentSubmissions';
import { useOrderList, useRefresh } from './useOrder';
import styles from './order.module.css';
import { PlainRows } from './PlainRows';

type Props = { operation: Operation; rows: readonly Row[]; code: string };

/** A part and its parent. */
type Part = { of: string; row: Row };

/** Nested lists of the order's operations, such as materials with lots, properties and quantities. */
function OrderLists({ operation, rows, code }: Props) {
  const { name } = useFormats();
  const head = operation.key.filter((member) => member !== code);
  const fields = operation.answer?.fields ?? [];
  const heading = fields.filter((field) => head.includes(field.name)).map((field) => name(field) || field.name);
  const all = rows.map((row) => ({ of: rowKey(row, head), row }));
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

/** Everything known about one order. */
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
  return <Order key={`${site?.site.name}·${code}`} code={code} />;
}

function Order({ code }: { code: string }) {
  const { t } = useTranslation();
  const { timeOfDay } = useFormats();
  const { parts } = useOrderLists();
  const refresh = useRefresh(code);
  const own = parts.find((part) => part.own);
  const { data, error, isFetching, dataUpdatedAt } = useOrderList(code, own, null);
  const others = parts.filter((part) => !part.own);
  const missing = data?.total === 0;
  useRememberOrder(data?.set);
  return (
    <PageFrame
      title={t('order.title', { code })}
      aside={dataUpdatedAt > 0 && <span data-testid="order-read">{t('order.read', { time: timeOfDay(new Date(dataUpdatedAt).toISOString()) })}</span>}
      action={
        <>
          {own && data && data.total > 0 && (
            <ChangeMenu list={own.operation} set={data.set} positions={Array.from({ length: data.total }, (_, place) => place)} />
          )}
          {data && data.total > 0 && <LinkButton link={() => commands.orderLink(code)} />}
          <Button variant="default" onClick={refresh} loading={isFetching} data-testid="order-refresh">
            {t('order.refresh')}
          </Button>
        </>
      }
    >
      <div className={styles.page} data-testid="order">
        {error && <ProblemNote problem={toProblem(error)} again={refresh} />}
        {missing && <Unknown code={code} />}
        <OrderTimeline code={code} />
        <div className={styles.columns}>
          {own && !error && !missing && (
            <div className={styles.column}>
              <OwnOperations part={own} list={data ?? null} />
            </div>
          )}
          <div className={styles.column}>
            {others.map((part) => (
              <OrderSection key={part.operation} code={code} part={part} around={data?.around ?? null} ready={data !== undefined} />
            ))}
            <SentSubmissions code={code} />
          </div>
        </div>
      </div>
    </PageFrame>
  );
}

/** Adds a loaded order to the recent orders of the search. */
function useRememberOrder(set: number | undefined): void {
  const queries = useQueryClient();
  const site = useSite()?.site.name;
  useEffect(() => {
    if (set !== undefined) void queries.invalidateQueries({ queryKey: queryKeys.recentOrders(site) });
  }, [queries, site, set]);
}

/** Tells that the site lacks the order. Its events and submissions may be listed below anyway. */
function Unknown({ code }: { code: string }) {
  const { t } = useTranslation();
  return (
    <section className={styles.unknown} data-testid="order-unknown">
      <p>
        <b>{t('order.unknown', { code })}</b>
      </p>
      <p className="muted">{t('order.unknownHint')}</p>
      <Button variant="default" onClick={spotlight.open} data-testid="order-search">
        {t('order.search')}
      </Button>
    </section>
  );
}

type OrderPlanProps = { operation: Operation; rows: readonly Row[]; code: string; now: string };

/** The order's operations, planned and actual, drawn from the fields of its list's plan. */
function OrderPlan({ operation, rows, code, now }: OrderPlanProps) {
  const draw = operation.pictures.map((picture) => picture.draw).find(({ kind }) => kind === 'plan');
  if (draw?.kind !== 'plan') return null;
  const head = operation.key.filter((member) => member !== code);
  return <PlanBars rows={rows} label={(row) => rowKey(row, head)} planned={draw.planned} real={draw.real ?? null} status={draw.status ?? null} now={now} />;
}

/** The order's operations side by side, and their nested lists. */
function OwnOperations({ part, list }: { part: OrderPart; list: OrderList | null }) {
  const operation = useOperations().find((one) => one.id === part.operation);
  if (!operation || !list) return <LoadingLines lines={8} />;
  const rows = toRows(list.rows);
  return (
    <>
      <OrderPlan operation={operation} rows={rows} code={part.field} now={list.now} />
      <Operations operation={operation} list={list} rows={rows} code={part.field} />
      <OrderLists operation={operation} rows={rows} code={part.field} />
    </>
  );
}
