import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { FloorOrderView } from '@/ipc/bindings';
import styles from './floor.module.css';

/**
 * An order's good, bad and requested quantity, with a progress bar. Hidden if neither the good nor the requested quantity is
 * known.
 */
export function ProducedQuantity({ order: { good, bad, requested } }: { order: FloorOrderView }) {
  const { t } = useTranslation();
  const { decimal } = useFormats();
  if (good === null && requested === null) return null;
  const done = good ?? 0;
  const share = requested ? Math.min(1, done / requested) : 0;
  return (
    <span className={styles.produced}>
      <span className={styles.track} aria-hidden>
        <i style={{ width: `${100 * share}%` }} />
      </span>
      <span className="number">{requested === null ? decimal(done) : t('floorNow.of', { good: decimal(done), requested: decimal(requested) })}</span>
      {bad !== null && bad > 0 && <span className={`${styles.bad} number`}>{t('floorNow.bad', { bad: decimal(bad) })}</span>}
    </span>
  );
}
