import { Anchor } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { useSite } from '@/base/appState';
import { useNavigation } from '@/base/navigation';
import { usePreferences } from '@/base/preferences';
import { queryKeys } from '@/base/queryKeys';
import { refetchQueries } from '@/base/refetch';
import { siteTime } from '@/base/siteTime';
import { useEventTitle } from '@/base/useEventTitle';
import { useFormats } from '@/base/useFormats';
import { useServiceEvents } from '@/base/useServiceEvents';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { type OrderEvent, type OrderEvents, type OrderSubmission, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { LoadingLines } from './LoadingLines';
import { TimelineChart } from './TimelineChart';
import { timelineEntries } from './timeline';
import { useOrderSubmissions } from './useOrder';
import styles from './order.module.css';

/** Redraw interval, because running operations last until now. Milliseconds. */
const REDRAW_INTERVAL = 30_000;
/** Refetch interval while events arrive, in milliseconds. */
const REFETCH_INTERVAL = 1_000;

/** The order's events as chart and list, with its submissions. */
export function OrderTimeline({ code }: { code: string }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { data, error } = useOrderEvents(code);
  const { data: sent } = useOrderSubmissions(code);
  return (
    <section aria-labelledby="order-timeline" className={styles.section} data-testid="order-timeline">
      <header className={styles.head}>
        <h2 id="order-timeline">
          {t('timeline.title')} {data && <span className="muted number" data-testid="order-timeline-count">{number(data.total)}</span>}
        </h2>
      </header>
      {error ? (
        <ProblemNote problem={toProblem(error)} quiet />
      ) : !data ? (
        <LoadingLines lines={3} />
      ) : data.events.length === 0 ? (
        <p className="muted small">{t('timeline.none')}</p>
      ) : (
        <TimelineView data={data} sent={sent ?? []} />
      )}
    </section>
  );
}

function TimelineView({ data, sent }: { data: OrderEvents; sent: readonly OrderSubmission[] }) {
  const { t } = useTranslation();
  const { language } = usePreferences();
  const { number } = useFormats();
  const { go } = useNavigation();
  const now = Date.parse(data.now);
  const time = (at: number) => siteTime(new Date(at).toISOString(), data.zone, language, now, true);
  const open = (event: OrderEvent) => go({ page: 'events', tab: 'list', event: event.line.id });
  return (
    <>
      <TimelineChart data={data} sent={sent} now={now} time={time} open={open} />
      {data.total > data.events.length && (
        <p className="muted small">{t('order.first', { shown: number(data.events.length), total: number(data.total) })}</p>
      )}
      <ol className={styles.line} data-testid="order-timeline-list">
        {timelineEntries(data.events, sent).map((one) => (
          <li key={one.key}>
            <time className="number">{time(one.at)}</time>
            {one.kind === 'event' ? <Event event={one.event} open={open} /> : <Sent sent={one.sent} />}
          </li>
        ))}
      </ol>
    </>
  );
}

function Event({ event, open }: { event: OrderEvent; open: (event: OrderEvent) => void }) {
  const { t } = useTranslation();
  const { decimal } = useFormats();
  const title = useEventTitle();
  return (
    <div className={styles.said}>
      <Anchor component="button" type="button" fz="inherit" onClick={() => open(event)} data-testid={`order-event-${event.line.id}`}>
        {title(event.line)}
      </Anchor>
      <span className="mono">{event.operation}</span>
      <span className="mono">{event.line.station}</span>
      {event.good !== null && event.turn === null && <span className="number">{t('timeline.good', { good: decimal(event.good), bad: decimal(event.bad ?? 0) })}</span>}
      {event.late && <span className={styles.late}>{t('timeline.late')}</span>}
    </div>
  );
}

function Sent({ sent: { submission, rows } }: { sent: OrderSubmission }) {
  const { t } = useTranslation();
  const { go } = useNavigation();
  return (
    <div className={styles.said}>
      <Anchor component="button" type="button" fz="inherit" onClick={() => go({ page: 'history', submission: submission.id })}>
        {t('history.submission', { id: submission.id })}
      </Anchor>
      <span>{t('timeline.rows', { count: rows.length })}</span>
    </div>
  );
}

/** Returns the live events that name an order. */
function useOrderEvents(code: string) {
  const site = useSite()?.site.name;
  const queries = useQueryClient();
  const key = queryKeys.orderEvents(code, site);
  useServiceEvents(() => void refetchQueries(queries, key), REFETCH_INTERVAL);
  return useQuery({ queryKey: key, queryFn: () => commands.orderEvents(code), refetchInterval: REDRAW_INTERVAL, gcTime: 0, retry: false });
}
