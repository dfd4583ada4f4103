import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { type SupplyView, commands } from '@/ipc/bindings';
import { usePlantCommand } from '../common/usePlant';
import styles from './side.module.css';

/** Material that orders still wait for, oldest first. */
export function SuppliesTab({ supplies }: { supplies: SupplyView[] }) {
  const { t } = useTranslation();
  if (supplies.length === 0) return <p className={styles.empty}>{t('supplies.empty')}</p>;
  return (
    <ul className={styles.list} aria-label={t('side.supplies')} tabIndex={0}>
      {supplies.map((supply) => (
        <Supply key={supply.id} supply={supply} />
      ))}
    </ul>
  );
}

function Supply({ supply }: { supply: SupplyView }) {
  const { t } = useTranslation();
  const { decimal } = useFormats();
  const { run } = usePlantCommand();
  const id = supply.id ?? 0;
  const order = [supply.workOrderCode, supply.operationCode].filter(Boolean).join(' · ');
  return (
    <li className={styles.entry}>
      <div className={styles.text}>
        <p className={styles.head}>
          <code>{supply.code}</code> {supply.description}
        </p>
        <p className={styles.small}>
          <span>
            {t('supplies.for', { quantity: decimal(supply.quantity ?? 0) })} <code>{order}</code>
          </span>
        </p>
      </div>
      <div className={styles.buttons}>
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => run(() => commands.plantAct({ move: 'paySupply', id }))}
          aria-label={t('supplies.payOf', { code: supply.code, order: supply.workOrderCode })}
          data-testid={`plant-pay-${id}`}
        >
          {t('supplies.pay')}
        </Button>
      </div>
    </li>
  );
}
