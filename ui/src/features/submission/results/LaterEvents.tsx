import { Anchor } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useNavigation } from '@/base/navigation';
import { useEventTitle } from '@/base/useEventTitle';
import { useFormats } from '@/base/useFormats';
import type { ResultRow, RowEvent, SubmissionView } from '@/ipc/bindings';
import { useLaterEvents } from './useLaterEvents';
import styles from '../common/submission.module.css';

/** What happened to a row's order after it was sent: its events, oldest first. */
export function LaterEvents({ submission, row }: { submission: SubmissionView; row: ResultRow }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { data } = useLaterEvents(submission, row);
  if (!data) return null;
  const left = data.count - data.events.length;
  return (
    <section aria-labelledby="row-after" className={styles.after} data-testid="row-after">
      <h3 id="row-after">{t('after.title')}</h3>
      {data.count === 0 && <p className="muted small">{t('after.none')}</p>}
      {left > 0 && <p className="muted small">{t('after.earlier', { count: left, shown: number(left) })}</p>}
      <ol>
        {data.events.toReversed().map((event) => (
          <One key={event.event} event={event} />
        ))}
      </ol>
    </section>
  );
}

function One({ event }: { event: RowEvent }) {
  const { t } = useTranslation();
  const { timeOfDay, moment } = useFormats();
  const { go } = useNavigation();
  const title = useEventTitle();
  return (
    <li>
      <time className="number" dateTime={event.received} title={moment(event.received)}>
        {timeOfDay(event.received)}
      </time>
      <Anchor component="button" type="button" fz="inherit" onClick={() => go({ page: 'events', tab: 'list', event: event.event })}>
        {title(event)}
      </Anchor>
      {event.station && <span className="mono muted">{t('after.on', { station: event.station })}</span>}
    </li>
  );
}
