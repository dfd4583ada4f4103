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
import { periodsOf, submissionsWithSentRows, timelineEntries } from './timeline';
import { useOrderSubmissions } from './useOrder';
import styles from './order.module.css';

/** Interval for drawing the chart again, in milliseconds. Running operations last until now. */
const REDRAW_INTERVAL = 30_000;
/** Minimum time between refetches when events arrive, in milliseconds. */
const REFETCH_INTERVAL = 1_000;

/** The order's events as chart and list, with its submissions. */
export function OrderTimeline({ code }: { code: string }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { data, error } = useOrderEvents(code);
  const { data: submissions } = useOrderSubmissions(code);
  const sent = submissionsWithSentRows(submissions ?? []);
  return (
    <section aria-labelledby="order-timeline" className={styles.section} data-testid="order-timeline">
      <header className={styles.head}>
        <h2 id="order-timeline">
          {t('timeline.title')} {data && <span className="muted number" data-testid="order-timeline-count">{number(data.total + sent.length)}</span>}
        </h2>
      </header>
      {error ? (
        <ProblemNote problem={toProblem(error)} isSubtle />
      ) : !data ? (
        <LoadingLines lines={3} />
      ) : data.events.length + sent.length === 0 ? (
        <p className="muted small">{t('timeline.none')}</p>
      ) : (
        <TimelineView data={data} sent={sent} />
      )}
    </section>
  );
}

type TimelineChartProps = {
  data: OrderEvents;
  sent: readonly OrderSubmission[];
  now: number;
  time: (at: number) => string;
  open: (event: OrderEvent) => void;
};

/** The order's operations on a time scale: running and paused periods, with marks for events. */
function TimelineChart({ data, sent, now, time, open }: TimelineChartProps) {
  const { t } = useTranslation();
  const title = useEventTitle();
  const bars = periodsOf(data.events, now);
  const operations = [...new Set(data.events.map((event) => event.operation))].toSorted();
  const moments = [
    ...data.events.map((event) => Date.parse(event.at)),
    ...bars.flatMap(({ from, to }) => [from, to]),
    ...sent.map((one) => Date.parse(one.submission.started)),
  ];
  const first = Math.min(...moments);
  const last = Math.max(...moments, first + 1_000);
  const positionOf = (at: number) => `${(100 * (at - first)) / (last - first)}%`;
  return (
    <div className={styles.timeline} aria-hidden data-testid="order-timeline-line">
      {sent.length > 0 && (
        <div className={styles.lane}>
          <span>{t('timeline.sent')}</span>
          <div className={styles.ground}>
            {sent.map(({ submission }) => (
              <i key={submission.id} className={styles.sentMark} style={{ left: positionOf(Date.parse(submission.started)) }} title={time(Date.parse(submission.started))} />
            ))}
          </div>
        </div>
      )}
      {operations.map((operation) => (
        <div key={operation} className={styles.lane}>
          <span className="mono">{operation || '–'}</span>
          <div className={styles.ground}>
            {bars
              .filter((bar) => bar.operation === operation)
              .map((bar) => (
                <i
                  key={`${bar.state}·${bar.from}`}
                  className={styles.stretch}
                  data-state={bar.state}
                  data-open={bar.open}
                  style={{ left: positionOf(bar.from), width: `max(2px, ${(100 * (bar.to - bar.from)) / (last - first)}%)` }}
                  title={`${t(`floorNow.state.${bar.state}`)} ${time(bar.from)} – ${bar.open ? t('picture.line.now') : time(bar.to)}`}
                />
              ))}
            {data.events
              .filter((event) => event.operation === operation)
              .map((event) => (
                <button
                  key={event.line.id}
                  type="button"
                  tabIndex={-1}
                  className={styles.eventMark}
                  data-late={event.late}
                  data-turn={event.turn ?? 'none'}
                  style={{ left: positionOf(Date.parse(event.at)) }}
                  title={`${time(Date.parse(event.at))} ${title(event.line)}`}
                  aria-label={title(event.line)}
                  onClick={() => open(event)}
                />
              ))}
          </div>
        </div>
      ))}
      <div className={styles.lane}>
        <span />
        <div className={styles.ends}>
          <span className="number">{time(first)}</span>
          <span className="number">{time(last)}</span>
        </div>
      </div>
    </div>
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
            {one.kind === 'event' ? <EventRow event={one.event} open={open} /> : <SubmissionRow sent={one.sent} />}
          </li>
        ))}
      </ol>
    </>
  );
}

function EventRow({ event, open }: { event: OrderEvent; open: (event: OrderEvent) => void }) {
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

function SubmissionRow({ sent: { submission, rows } }: { sent: OrderSubmission }) {
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

/** Returns the events that name an order, and keeps them up to date. */
function useOrderEvents(code: string) {
  const site = useSite()?.site.name;
  const queries = useQueryClient();
  const key = queryKeys.orderEvents(code, site);
  useServiceEvents(() => void refetchQueries(queries, key), REFETCH_INTERVAL);
  return useQuery({ queryKey: key, queryFn: () => commands.orderEvents(code), refetchInterval: REDRAW_INTERVAL, gcTime: 0, retry: false });
}
