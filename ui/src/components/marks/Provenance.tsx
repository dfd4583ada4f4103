import { Tooltip } from '@mantine/core';
import { IconHome } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import styles from './provenance.module.css';

type Props = { level: string; source?: string; children: ReactNode };

/** Where the specification is silent: a dotted underline with its hint. What a site's own contract said: a small mark. */
export function Provenance({ level, source = '', children }: Props) {
  const { t } = useTranslation();
  if (level === 'assumed') {
    return (
      <Tooltip label={source ? t('provenance.assumedBecause', { source }) : t('provenance.assumed')} multiline maw={320}>
        <span className={styles.assumed}>{children}</span>
      </Tooltip>
    );
  }
  if (level === 'site') {
    return (
      <Tooltip label={t('provenance.site')}>
        <span className={styles.site}>
          {children}
          <IconHome size={12} aria-label={t('provenance.site')} />
        </span>
      </Tooltip>
    );
  }
  return <>{children}</>;
}
