import { Anchor } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { EventFilter } from '@/base/eventFilter';
import { useFormats } from '@/base/useFormats';
import { OrderLink } from '@/components/values/OrderLink';
import type { EventDetail } from '@/ipc/bindings';
import { useEventMarks } from '../common/eventMarks';
import styles from '../common/events.module.css';

type Props = { event: EventDetail; narrow: (some: Partial<EventFilter>) => void };

/** An event in a few lines: time, station, employee, orders and marks. */
export function EventSummary({ event: { line, orders, oddity }, narrow }: Props) {
  const { t } = useTranslation();
  const { moment, timeOfDay } = useFormats();
  const marks = useEventMarks();
  const { station, stationName, employee, person } = line;
  const only = (which: 'station' | 'employee', code: string, name: string | null) => (
    <Anchor component="button" type="button" fz="inherit" ta="left" title={t('inbox.only')} onClick={() => narrow({ [which]: code })} data-testid={`event-${which}`}>
      {[code, name].filter(Boolean).join(' · ')}
    </Anchor>
  );
  return (
    <div className={styles.summary} data-testid="event-summary">
      <p className="number">
        <time dateTime={line.received} title={timeOfDay(line.received)}>
          {moment(line.received)}
        </time>
      </p>
      {(station !== null || employee !== null) && (
        <p>
          {station !== null && only('station', station, stationName)}
          {station !== null && employee !== null && ' · '}
          {employee !== null && only('employee', employee, person)}
        </p>
      )}
      {orders.length > 0 && (
        <p className={styles.orders}>
          {orders.slice(0, MAX_ORDERS).map((code) => (
            <OrderLink key={code} code={code} />
          ))}
          {orders.length > MAX_ORDERS && <span className="muted">+{orders.length - MAX_ORDERS}</span>}
        </p>
      )}
      <p className={styles.marks} data-testid="event-marks">
        {marks(line)
          .filter(({ id }) => id !== 'answer')
          .map(({ id, sign, word, tone }) => (
            <span key={id} data-tone={tone}>
              <span aria-hidden>{sign}</span> {word}
            </span>
          ))}
      </p>
      {oddity !== null && (
        <p className={styles.oddity} data-testid="event-oddity">
          {t('inbox.oddity')} <code>{oddity}</code>
        </p>
      )}
    </div>
  );
}

/** Maximum number of listed orders. More are among the fields. */
const MAX_ORDERS = 12;
