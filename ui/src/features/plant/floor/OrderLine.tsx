import { Tooltip } from '@mantine/core';
import {
  IconCircle,
  IconCircleCheck,
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
  IconPoint,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { OrderView } from '@/ipc/bindings';
import { type PlanStatus, progress, standing } from './moves';
import styles from './floor.module.css';

const icons: Record<PlanStatus, ComponentType<{ size: number; 'aria-hidden': boolean }>> = {
  running: IconPlayerPlayFilled,
  paused: IconPlayerPauseFilled,
  planned: IconCircle,
  ended: IconCircleCheck,
  other: IconPoint,
};

/** One order on a station: how it stands, what it makes, and how far it is. */
export function OrderLine({ order }: { order: OrderView }) {
  const { t } = useTranslation();
  const { decimal } = useFormats();
  const now = standing(order);
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
