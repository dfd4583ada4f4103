import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { OrderLink } from '@/components/values/OrderLink';
import type { FloorDifference, FloorRead } from '@/ipc/bindings';
import styles from './floor.module.css';

/** Maximum number of listed differences. */
const MAX_DIFFERENCES = 100;

type Props = { read: FloorRead; time: (iso: string) => string };

/** Lists differences between the service and the events. */
export function Differences({ read, time }: Props) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { differences } = read;
  const places = { time: time(read.at), orders: number(read.orders), count: differences.length, shown: number(differences.length) };
  return (
    <section className={styles.otherwise} aria-labelledby="floor-otherwise" data-testid="floor-otherwise">
      <h2 id="floor-otherwise">{differences.length === 0 ? t('floorNow.agrees', { ...places, count: read.orders }) : t('floorNow.differs', places)}</h2>
      {differences.length > 0 && (
        <div className={styles.scroll} role="group" tabIndex={0} aria-labelledby="floor-otherwise">
          <table className={styles.table} aria-labelledby="floor-otherwise">
            <thead>
              <tr>
                <th scope="col">{t('floorNow.order')}</th>
                <th scope="col">{t('floorNow.told')}</th>
                <th scope="col">{t('floorNow.held')}</th>
              </tr>
            </thead>
            <tbody>
              {differences.slice(0, MAX_DIFFERENCES).map((one) => (
                <Difference key={`${one.code}·${one.operation}`} one={one} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Difference({ one }: { one: FloorDifference }) {
  const { t } = useTranslation();
  const { reported } = one;
  const serviceState = one.serviceState === null ? t('floorNow.notThere') : (one.status ?? t(`floorNow.orderState.${one.serviceState}`));
  return (
    <tr>
      <th scope="row">
        <OrderLink code={one.code} /> <span className="mono">{one.operation}</span>
      </th>
      <td>{reported ? <Side state={reported.status ?? t(`floorNow.orderState.${reported.state}`)} station={reported.station} /> : t('floorNow.nothingTold')}</td>
      <td>
        <Side state={serviceState} station={one.station} />
      </td>
    </tr>
  );
}

function Side({ state, station }: { state: string; station: string | null }) {
  return (
    <>
      {state} {station && <span className="mono muted">{station}</span>}
    </>
  );
}
