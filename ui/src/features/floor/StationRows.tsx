import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { secondsSince } from '@/base/siteTime';
import { OrderLink } from '@/components/values/OrderLink';
import { plainText } from '@/components/values/Markup';
import type { FloorAlertView, FloorOrderView, FloorStationView } from '@/ipc/bindings';
import { ElapsedTime, useDurationText } from './ElapsedTime';
import type { Origin } from './origin';
import { OriginMark } from './OriginMark';
import { StationStateMark } from './StationStateMark';
import { ProducedQuantity } from './ProducedQuantity';
import { type ShownState, isOpen, shownState } from './stationStates';
import styles from './floor.module.css';

type Props = {
  stations: readonly FloorStationView[];
  now: number;
  zone: string;
  /** The origin of most orders and alerts, which isn't repeated in each row. */
  common: Origin;
  open: (station: string) => void;
  openEvent: (event: number) => void;
};

/** The stations with a row for each order and alert. */
export function StationRows({ stations, now, zone, common, open, openEvent }: Props) {
  const { t } = useTranslation();
  return (
    <table className={styles.table} aria-label={t('floor.title')} data-testid="floor-stations">
      <thead>
        <tr>
          <th scope="col">{t('floorNow.station')}</th>
          <th scope="col">{t('floorNow.stateColumn')}</th>
          <th scope="col">{t('floorNow.since')}</th>
          <th scope="col">{t('floorNow.what')}</th>
          <th scope="col">{t('floorNow.operator')}</th>
          <th scope="col">{t('floorNow.produced')}</th>
          <th scope="col">{t('floorNow.lastEvent')}</th>
        </tr>
      </thead>
      {stations.map((station) => (
        <StationGroup key={station.code} station={station} now={now} zone={zone} common={common} open={open} openEvent={openEvent} />
      ))}
    </table>
  );
}

type StationGroupProps = Omit<Props, 'stations'> & { station: FloorStationView };

function StationGroup({ station, now, zone, common, open, openEvent }: StationGroupProps) {
  const { t } = useTranslation();
  const lines = [
    ...station.alerts.map((alert) => ({ key: `alert-${alert.event ?? `${alert.kind}·${alert.opened}`}`, isAcknowledged: !isOpen(alert), cells: <AlertCells alert={alert} now={now} zone={zone} common={common} /> })),
    ...station.orders.map((order) => ({ key: `${order.code}·${order.operation}`, isAcknowledged: false, cells: <OrderCells order={order} now={now} zone={zone} common={common} /> })),
  ];
  const rows = lines.length > 0 ? lines : [{ key: 'nothing', isAcknowledged: false, cells: <EmptyCells state={shownState(station)} /> }];
  return (
    <tbody data-state={station.state} data-acknowledged={shownState(station) === 'acknowledged'} data-testid={`floor-station-${station.code}`}>
      {rows.map(({ key, isAcknowledged, cells }, place) => (
        <tr key={key} data-acknowledged={isAcknowledged}>
          {place === 0 && (
            <th scope="rowgroup" rowSpan={rows.length}>
              {station.code === '' ? (
                t('floorNow.noStation')
              ) : (
                <UnstyledButton className={styles.station} onClick={() => open(station.code)} title={t('floorNow.openBoard')}>
                  <span className="mono">{station.code}</span> <span>{station.name}</span>
                </UnstyledButton>
              )}
            </th>
          )}
          {cells}
          {place === 0 && (
            <td rowSpan={rows.length} className={styles.last}>
              <LastEventCell station={station} now={now} openEvent={openEvent} />
            </td>
          )}
        </tr>
      ))}
    </tbody>
  );
}

type CellProps = Pick<Props, 'now' | 'zone' | 'common'>;

function OrderCells({ order, now, zone, common }: { order: FloorOrderView } & CellProps) {
  const { t } = useTranslation();
  return (
    <>
      <td>
        <StationStateMark state={order.state === 'running' || order.state === 'paused' ? order.state : 'begun'} />
      </td>
      <td>
        {order.since === null ? <span className="muted">–</span> : <ElapsedTime at={order.since} now={now} zone={zone} />}
      </td>
      <td>
        <span className={styles.order}>
          <OrderLink code={order.code} /> <span className="mono">{order.operation}</span>
        </span>
        {order.reason && <span className="muted"> {order.reason}</span>}
        {' '}
        <OriginMark item={order} common={common} />
        {order.late > 0 && <span className={styles.late}> {t('floorNow.late', { count: order.late })}</span>}
      </td>
      <td className="number">{order.employee ?? order.person}</td>
      <td>
        <ProducedQuantity order={order} />
      </td>
    </>
  );
}

function AlertCells({ alert, now, zone, common }: { alert: FloorAlertView } & CellProps) {
  return (
    <>
      <td>
        <StationStateMark state={isOpen(alert) ? 'alarm' : 'acknowledged'} />
      </td>
      <td>
        <ElapsedTime at={alert.opened} now={now} zone={zone} />
      </td>
      <td>
        {isOpen(alert) ? <b>{alert.kind}</b> : alert.kind} {alert.note && <span title={alert.note}>{plainText(alert.note)}</span>}{' '}
        <OriginMark item={alert} common={common} />
      </td>
      <td colSpan={2} className="number">
        {alert.employee}
      </td>
    </>
  );
}

function EmptyCells({ state }: { state: ShownState }) {
  return (
    <td colSpan={5}>
      <StationStateMark state={state} />
    </td>
  );
}

function LastEventCell({ station, now, openEvent }: { station: FloorStationView; now: number; openEvent: (event: number) => void }) {
  const { t } = useTranslation();
  const durationText = useDurationText();
  const { event, last } = station;
  if (event === null || last === null) return null;
  return (
    <UnstyledButton className={styles.event} onClick={() => openEvent(event)} title={t('floorNow.openEvent')}>
      {t('floorNow.ago', { time: durationText(secondsSince(last, now)) })}
    </UnstyledButton>
  );
}
