import { useTranslation } from 'react-i18next';
import { Tooltip } from '@mantine/core';
import { IconCircle, IconCircleCheck, IconPlayerPauseFilled, IconPlayerPlayFilled, IconPoint } from '@tabler/icons-react';
import type { ComponentType } from 'react';

import { useFormats } from '@/base/useFormats';
import type { OrderView, StationView } from '@/ipc/bindings';

import { formatPlanned } from '../common/clock';
import { OrderMoves } from './OrderMoves';
import styles from './floor.module.css';
import { type OrderStatus, progress, orderStatus } from './moves';

const icons: Record<OrderStatus, ComponentType<{ size: number; 'aria-hidden': boolean }>> = {
  running: IconPlayerPlayFilled,
  paused: IconPlayerPauseFilled,
  planned: IconCircle,
  ended: IconCircleCheck,
  other: IconPoint,
};

/** An order at a station: state, product and progress. */
function OrderLine({ order }: { order: OrderView }) {
  const { t } = useTranslation();
  const { decimal } = useFormats();
  const now = orderStatus(order);
  const Icon = icons[now];
  const good = decimal(order.producedGoodQuantity ?? 0);
  const requested = decimal(order.requestedQuantity ?? 0);
  const bad = order.producedBadQuantity ?? 0;
  return (
    <>
      <span className={styles.order}>
        <span className={styles.standing} data-standing={now}>
          <Icon size={12} aria-hidden />
          {now === 'other' ? order.statusDescription : t(`floor.standings.${now}`)}
        </span>
        <Tooltip label={t('floor.operation', { operation: order.operationCode, material: order.materialCode })}>
          <code className={styles.code}>
            {order.code}
            {order.operationCode && <span className="muted"> · {order.operationCode}</span>}
          </code>
        </Tooltip>
        <code className={styles.material}>{order.materialCode}</code>
      </span>
      <span className={styles.done}>
        <span className={styles.track} aria-hidden>
          <span className={styles.fill} data-standing={now} style={{ width: `${progress(order) * 100}%` }} />
        </span>
        <span className="number">{t('floor.made', { good, requested })}</span>
        {bad > 0 && <span className={styles.bad}>{t('floor.bad', { bad: decimal(bad) })}</span>}
      </span>
    </>
  );
}

type Props = { station: StationView; now: number };

/** A work station with a row per order, or an empty row. */
export function StationRows({ station, now }: Props) {
  const { t } = useTranslation();
  const { current, next } = station;
  // A row stays when its order ends, which keeps the focus on its button.
  const lines: (OrderView | null)[] = current.length > 0 ? current : [null];
  return (
    <tbody data-testid={`plant-station-${station.code}`} data-orders={current.length}>
      {lines.map((order, index) => (
        <tr key={index === 0 ? 'first' : `${order?.code}·${order?.operationCode}`}>
          {index === 0 && (
            <th scope="rowgroup" rowSpan={lines.length} className={styles.station}>
              {station.description}
              <code>{station.code}</code>
            </th>
          )}
          <td className={styles.current}>
            {order ? <OrderLine order={order} /> : <span className="muted">{t('floor.nothing')}</span>}
          </td>
          {index === 0 && (
            <td rowSpan={lines.length} className={styles.next}>
              <Next orders={next} now={now} />
            </td>
          )}
          <td className={styles.moves}>
            <OrderMoves station={station} order={order} id={index === 0 ? station.code : `${station.code}-${index + 1}`} />
          </td>
        </tr>
      ))}
    </tbody>
  );
}

function Next({ orders, now }: { orders: OrderView[]; now: number }) {
  const { t } = useTranslation();
  const formats = useFormats();
  if (orders.length === 0) return <span className="muted">{t('floor.noneNext')}</span>;
  return (
    <ol className={styles.coming}>
      {orders.map((order) => (
        <li key={`${order.code}·${order.operationCode}`}>
          <code>{order.code}</code>
          <span className="number">{order.beginPlanned ? formatPlanned(order.beginPlanned, now, formats) : t('floor.noDate')}</span>
        </li>
      ))}
    </ol>
  );
}
