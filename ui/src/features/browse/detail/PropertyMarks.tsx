import { Tooltip } from '@mantine/core';
import { IconLock, IconShieldLock } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import type { Value as JsonValue } from '@/ipc/bindings';
import styles from './rowDetail.module.css';

type Props = { code: JsonValue | undefined; locked: boolean; reserved: string };

/** Marks next to a property's key: locked, and reserved for the service. */
export function PropertyMarks({ code, locked, reserved }: Props) {
  const { t } = useTranslation();
  const isReserved = reserved !== '' && typeof code === 'string' && code.startsWith(reserved);
  return (
    <>
      {locked && (
        <Tooltip label={t('detail.locked')}>
          <IconLock size={13} className={styles.mark} role="img" aria-label={t('detail.locked')} data-testid="property-locked" />
        </Tooltip>
      )}
      {isReserved && (
        <Tooltip label={t('detail.reserved')}>
          <IconShieldLock size={13} className={styles.mark} role="img" aria-label={t('detail.reserved')} data-testid="property-reserved" />
        </Tooltip>
      )}
    </>
  );
}
