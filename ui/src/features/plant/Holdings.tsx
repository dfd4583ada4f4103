import { useTranslation } from 'react-i18next';

import { useOperations } from '@/base/appState';
import { operationName, useFormats } from '@/base/useFormats';
import type { Holding } from '@/ipc/bindings';
import styles from './common/plant.module.css';

/** How much the plant holds of each kind. */
export function Holdings({ holdings }: { holdings: Holding[] }) {
  const { t } = useTranslation();
  const { name, number } = useFormats();
  const operations = useOperations();
  // What no operation lists has no name in the contract.
  const label = (resource: string) =>
    resource === 'stock' ? t('plant.stock') : operationName(operations, `${resource}.list`, name);
  return (
    <dl className={styles.holdings} aria-label={t('plant.holdings')}>
      {holdings
        // The floor shows them.
        .filter(({ resource }) => resource !== 'work-stations')
        .map(({ resource, rows }) => (
          <div key={resource}>
            <dt>{label(resource)}</dt>
            <dd className="number">{number(rows)}</dd>
          </div>
        ))}
    </dl>
  );
}
