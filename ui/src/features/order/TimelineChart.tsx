import { useTranslation } from 'react-i18next';

import { useEventTitle } from '@/base/useEventTitle';
import type { OrderEvent, OrderEvents, OrderSubmission } from '@/ipc/bindings';
import { periods } from './timeline';
import styles from './order.module.css';

type Props = {
  data: OrderEvents;
  sent: readonly OrderSubmission[];
  now: number;
  time: (at: number) => string;
  open: (event: OrderEvent) => void;
};

/** The operations on a time scale: running and paused periods, and events as marks. */
export function TimelineChart({ data, sent, now, time, open }: Props) {
  const { t } = useTranslation();
  const title = useEventTitle();
  const bars = periods(data.events, now);
  const operations = [...new Set(data.events.map((event) => event.operation))].toSorted();
  const moments = [
    ...data.events.map((event) => Date.parse(event.at)),
    ...bars.flatMap(({ from, to }) => [from, to]),
    ...sent.map((one) => Date.parse(one.submission.started)),
  ];
  const first = Math.min(...moments);
  const last = Math.max(...moments, first + 1_000);
  const place = (at: number) => `${(100 * (at - first)) / (last - first)}%`;
  return (
    <div className={styles.timeline} aria-hidden data-testid="order-timeline-line">
      {sent.length > 0 && (
        <div className={styles.lane}>
          <span>{t('timeline.sent')}</span>
          <div className={styles.ground}>
            {sent.map(({ submission }) => (
              <i key={submission.id} className={styles.sentMark} style={{ left: place(Date.parse(submission.started)) }} title={time(Date.parse(submission.started))} />
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
                  style={{ left: place(bar.from), width: `max(2px, ${(100 * (bar.to - bar.from)) / (last - first)}%)` }}
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
                  style={{ left: place(Date.parse(event.at)) }}
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
