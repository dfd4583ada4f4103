import { ActionIcon, Anchor, Tooltip } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { EMPTY_FILTER, toEventQuery } from '@/base/eventFilter';
import { useNavigation } from '@/base/navigation';
import { queryKeys } from '@/base/queryKeys';
import { secondsSince } from '@/base/siteTime';
import { useEventTitle } from '@/base/useEventTitle';
import { useFormats } from '@/base/useFormats';
import { OpenWindowButton } from '@/components/window/OpenWindowButton';
import { PageFrame } from '@/components/page/PageFrame';
import { OrderLink } from '@/components/values/OrderLink';
import { plainText } from '@/components/values/Markup';
import { type Floor, type FloorAlertView, type FloorOrderView, commands } from '@/ipc/bindings';
import { ElapsedTime, useDurationText } from './ElapsedTime';
import { OriginLine, OriginMark } from './OriginMark';
import { type Origin, originsOf } from './origin';
import { isOpen, shownState } from './stationStates';
import { StationStateMark } from './StationStateMark';
import { ProducedQuantity } from './ProducedQuantity';
import styles from './floor.module.css';

const MAX_EVENTS = 10;

type LastEventsProps = { station: string; site: string; newest: number };

/** A station's latest events. */
function LastEvents({ station, site, newest }: LastEventsProps) {
  const { t } = useTranslation();
  const { timeOfDay, dateTime } = useFormats();
  const title = useEventTitle();
  const { go } = useNavigation();
  const { data } = useQuery({
    queryKey: queryKeys.stationEvents(site, station, newest),
    queryFn: () => commands.eventList(toEventQuery({ ...EMPTY_FILTER, station }, site, null), 0, MAX_EVENTS),
    placeholderData: (before) => before,
    gcTime: 0,
  });
  return (
    <section aria-labelledby="floor-last-events" className={styles.lastEvents}>
      <h3 id="floor-last-events">{t('floorNow.lastEvents')}</h3>
      <ol data-testid="floor-last-events">
        {data?.rows.map((line) => (
          <li key={line.id}>
            <time className="number" dateTime={line.received} title={dateTime(line.received)}>
              {timeOfDay(line.received)}
            </time>
            <Anchor component="button" type="button" fz="inherit" onClick={() => go({ page: 'events', tab: 'list', event: line.id })}>
              {title(line)}
            </Anchor>
            <span className="mono">{line.order}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

type Props = { floor: Floor; code: string; now: number; close: () => void };

/** A large display of one station: running and paused orders, alerts, and their durations. */
export function StationBoard({ floor, code, now, close }: Props) {
  const { t } = useTranslation();
  const durationText = useDurationText();
  const station = floor.stations.find((one) => one.code === code);
  const state = station ? shownState(station) : 'unknown';
  const origins = originsOf(station ? [station] : []);
  return (
    <PageFrame
      title={t('floorNow.board')}
      subtitle={station?.last && <span>{t('floorNow.last', { time: durationText(secondsSince(station.last, now)) })}</span>}
      action={
        <>
          <OpenWindowButton view={{ kind: 'floor', station: code }} />
          <Tooltip label={t('floorNow.back')}>
            <ActionIcon variant="default" size={36} aria-label={t('floorNow.back')} onClick={close} data-testid="floor-back">
              <IconArrowLeft size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </>
      }
    >
      <article className={styles.board} data-state={station?.state ?? 'unknown'} data-testid="floor-board">
        <header className={styles.boardHead}>
          <h2>
            <span className="mono">{code}</span> {station?.name}
          </h2>
          <StationStateMark state={state} isLarge />
        </header>
        {origins.common === 'service' && (
          <p className={styles.origin}>
            <OriginLine origins={origins} />
          </p>
        )}
        {station?.alerts.map((alert) => <BoardAlert key={alert.event ?? `${alert.kind}·${alert.opened}`} alert={alert} now={now} zone={floor.zone} common={origins.common} />)}
        {station?.orders.map((order) => (
          <BoardOrder key={`${order.code}·${order.operation}`} order={order} now={now} zone={floor.zone} common={origins.common} />
        ))}
        <LastEvents station={code} newest={station?.event ?? 0} site={floor.site} />
      </article>
    </PageFrame>
  );
}

type ItemProps = { now: number; zone: string; common: Origin };

function BoardOrder({ order, now, zone, common }: { order: FloorOrderView } & ItemProps) {
  const state = order.state === 'running' || order.state === 'paused' ? order.state : 'begun';
  return (
    <section className={styles.big} data-state={state}>
      <p className={styles.bigLine}>
        <StationStateMark state={state} isLarge /> {order.since && <ElapsedTime at={order.since} now={now} zone={zone} />}
        <OriginMark item={order} common={common} />
      </p>
      <p className={styles.biggest}>
        <OrderLink code={order.code} /> <span className="mono">{order.operation}</span>
      </p>
      <p className={styles.bigLine}>
        <ProducedQuantity order={order} />
        {order.material && <span className="mono">{order.material}</span>}
        {(order.employee ?? order.person) && <span>{order.employee ?? order.person}</span>}
        {order.reason && <span>{order.reason}</span>}
      </p>
    </section>
  );
}

function BoardAlert({ alert, now, zone, common }: { alert: FloorAlertView } & ItemProps) {
  const state = isOpen(alert) ? 'alarm' : 'acknowledged';
  return (
    <section className={styles.big} data-state={state}>
      <p className={styles.bigLine}>
        <StationStateMark state={state} isLarge /> <ElapsedTime at={alert.opened} now={now} zone={zone} />
        <OriginMark item={alert} common={common} />
      </p>
      <p className={styles.biggest}>{alert.kind}</p>
      {alert.note && <p className={styles.bigLine} title={alert.note}>{plainText(alert.note)}</p>}
    </section>
  );
}
