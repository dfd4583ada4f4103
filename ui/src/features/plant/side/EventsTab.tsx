import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { DeliveryState, DeliveryView, TargetView } from '@/ipc/bindings';
import { FormButton } from '../common/FormButton';
import { type Wall, formatPast } from '../common/clock';
import { EventForm } from './EventForm';
import { TargetForm } from './TargetForm';
import { Targets } from './Targets';
import { type EventName, useEventNames } from './eventNames';
import styles from './side.module.css';

type Props = { deliveries: DeliveryView[]; targets: TargetView[]; now: Wall };

const DELIVERY_SIGNS: Record<DeliveryState, { sign: string; tone: string }> = {
  delivered: { sign: '●', tone: 'good' },
  waiting: { sign: '◐', tone: 'accent' },
  failed: { sign: '✕', tone: 'bad' },
  untold: { sign: '–', tone: 'quiet' },
};

/** The event receivers and the latest deliveries. */
export function EventsTab({ deliveries, targets, now }: Props) {
  const { t } = useTranslation();
  const events = useEventNames();
  return (
    <>
      <div className={styles.line}>
        <FormButton label={t('events.add')} testId="plant-target-add">
          {(close) => <TargetForm events={events} close={close} />}
        </FormButton>
        <FormButton label={t('events.fire')} testId="plant-fire">
          {(close) => <EventForm events={events} close={close} />}
        </FormButton>
      </div>
      <Targets targets={targets} events={events} />
      {deliveries.length === 0 && <p className={styles.empty}>{t('events.empty')}</p>}
      <ul className={styles.list} aria-label={t('events.latest')} tabIndex={0} data-testid="plant-deliveries">
        {deliveries.map((delivery) => (
          <Delivery key={delivery.id} delivery={delivery} events={events} now={now} />
        ))}
      </ul>
    </>
  );
}

function Delivery({ delivery, events, now }: { delivery: DeliveryView; events: EventName[]; now: Wall }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const eventKind = events.find((event) => event.id === delivery.event);
  const { sign, tone } = DELIVERY_SIGNS[delivery.state];
  return (
    <li className={styles.entry}>
      <div className={styles.text}>
        <p className={styles.head}>
          <span className={styles.sign} data-tone={tone} aria-hidden>
            {sign}
          </span>
          <b className={styles.cut}>{eventKind ? formats.name(eventKind) : delivery.name}</b>
          <time className={styles.when}>{formatPast(delivery.at, now, formats)}</time>
        </p>
        <p className={styles.small}>
          <code>{delivery.subject}</code>
          <span>{t(`events.states.${delivery.state}`)}</span>
          {delivery.attempts > 1 && <span>{t('events.attempts', { count: delivery.attempts })}</span>}
        </p>
        {delivery.target && <p className={styles.small}>{delivery.target}</p>}
        {delivery.reason && <p className={styles.reason}>{delivery.reason}</p>}
      </div>
    </li>
  );
}
