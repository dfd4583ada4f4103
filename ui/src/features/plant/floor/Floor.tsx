import { useTranslation } from 'react-i18next';

import type { Overview } from '@/ipc/bindings';
import { parseWallTime } from '../common/clock';
import { StationRows } from './StationRows';
import styles from './floor.module.css';

/** All work stations with their current and next orders, and actions. */
export function Floor({ plant }: { plant: Overview }) {
  const { t } = useTranslation();
  const now = parseWallTime(plant.now) ?? 0;
  return (
    <section className={styles.floor} aria-label={t('floor.title')} tabIndex={0} data-testid="plant-floor">
      <table className={styles.stations} aria-label={t('floor.title')}>
        <thead>
          <tr>
            <th scope="col">{t('floor.station')}</th>
            <th scope="col">{t('floor.current')}</th>
            <th scope="col">{t('floor.next')}</th>
            <th scope="col">
              <span className="hidden">{t('floor.moves')}</span>
            </th>
          </tr>
        </thead>
        {plant.stations.map((station) => (
          <StationRows key={station.code} station={station} now={now} />
        ))}
      </table>
      {plant.stations.length === 0 && <p className={styles.empty}>{t('floor.empty')}</p>}
    </section>
  );
}
