import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useSite } from '@/base/appState';
import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { type Affected as Found, type AffectedOrder, type BrowseProgress, commands } from '@/ipc/bindings';
import { createChannel } from '@/ipc/channel';
import { toProblem } from '@/ipc/problem';
import { nextTicket } from '@/ipc/tickets';
import styles from '../common/templates.module.css';

/** Maximum number of listed orders. The rest is counted. */
const MAX_LISTED_ORDERS = 12;

/** Lists work orders whose templates lose links. Running orders come first. */
export function AffectedOrders({ templates }: { templates: number[] }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const site = useSite()?.site.name ?? '';
  const [ticket] = useState(nextTicket);
  const [progress, setProgress] = useState<BrowseProgress | null>(null);
  const affected = useQuery({
    queryKey: queryKeys.affectedOrders(site, templates),
    queryFn: () => commands.linksAffected(templates, ticket, createChannel<BrowseProgress>(setProgress)),
    gcTime: 0,
    retry: false,
  });
  // Unmounting cancels the request.
  useEffect(() => () => void commands.ticketStop(ticket).catch(() => undefined), [ticket]);
  if (affected.error) return <ProblemNote problem={toProblem(affected.error)} isSubtle />;
  if (!affected.data) {
    const rows = number(progress?.rows ?? 0);
    return (
      <p className="muted" role="status">
        {progress?.total ? t('links.affectedOf', { rows, total: number(progress.total) }) : t('links.affectedBusy')}
      </p>
    );
  }
  return <AffectedOrderList found={affected.data} />;
}

function AffectedOrderList({ found }: { found: Found }) {
  const { t } = useTranslation();
  const { orders, total, running, planned, complete } = found;
  return (
    <div role="status" data-testid="affected">
      <p className={styles.affected} data-testid="affected-count">
        {total === 0 ? t('links.affectedNone') : t('links.affected', { count: total })}
      </p>
      {running > 0 && (
        <p className={styles.runs} data-testid="affected-running">
          <span aria-hidden>▲</span> {t('links.running', { count: running })}
        </p>
      )}
      {planned > 0 && <p className="muted small">{t('links.planned', { count: planned })}</p>}
      {total > 0 && (
        <ul className={styles.orders}>
          {orders.slice(0, MAX_LISTED_ORDERS).map((order) => (
            <AffectedOrderRow key={`${order.template} ${order.key}`} order={order} />
          ))}
          {total > MAX_LISTED_ORDERS && <li className="muted">{t('links.more', { count: total - Math.min(MAX_LISTED_ORDERS, orders.length) })}</li>}
        </ul>
      )}
      {!complete && <p className="muted small">{t('links.affectedMore')}</p>}
    </div>
  );
}

function AffectedOrderRow({ order }: { order: AffectedOrder }) {
  const { t } = useTranslation();
  return (
    <li data-stage={order.stage}>
      <code>{order.key}</code>
      <span className={order.stage === 'running' ? styles.runs : 'muted'}>{order.status || t(`stages.${order.stage}`)}</span>
    </li>
  );
}
