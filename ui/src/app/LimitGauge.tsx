import { Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useAppState } from '@/base/appState';
import { useFormats } from '@/base/useFormats';
import styles from './bar.module.css';

/** How many requests the service still allows, as its last answer said. */
export function LimitGauge() {
  const { t } = useTranslation();
  const { number, moment } = useFormats();
  const { data } = useAppState();
  const limit = data?.limit;
  if (!limit || limit.limit === 0) return null;
  const share = Math.min(1, limit.remaining / limit.limit);
  const text = limit.reset
    ? t('limit.until', { count: limit.limit, remaining: number(limit.remaining), limit: number(limit.limit), reset: moment(limit.reset) })
    : t('limit.plain', { count: limit.limit, remaining: number(limit.remaining), limit: number(limit.limit) });
  return (
    <Tooltip label={text}>
      <div
        className={styles.gauge}
        role="meter"
        aria-label={t('limit.name')}
        aria-valuemin={0}
        aria-valuemax={limit.limit}
        aria-valuenow={limit.remaining}
        aria-valuetext={text}
        data-testid="limit"
      >
        <span className={styles.track}>
          <span className={styles.fill} data-low={share < 0.2} style={{ display: 'block', width: `${share * 100}%` }} />
        </span>
        <span className="number small">{number(limit.remaining)}</span>
      </div>
    </Tooltip>
  );
}
