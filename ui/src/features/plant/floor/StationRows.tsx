import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { OrderView, StationView } from '@/ipc/bindings';
import { planned } from '../common/clock';
import { OrderLine } from './OrderLine';
import { OrderMoves } from './OrderMoves';
import styles from './floor.module.css';

type Props = { station: StationView; now: number };

/** A work station: a line for each order on it, or one that says that there is none. */
export function StationRows({ station, now }: Props) {
  const { t } = useTranslation();
  const { current, next } = station;
  // A line stays where it is when its order ends, and so does the focus on its button.
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
          <span className="number">{order.beginPlanned ? planned(order.beginPlanned, now, formats) : t('floor.noDate')}</span>
        </li>
      ))}
    </ol>
  );
}
