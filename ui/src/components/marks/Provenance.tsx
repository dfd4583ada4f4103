import { Tooltip } from '@mantine/core';
import { IconHome } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { type ProvenanceStatement, assumedHint, isAssumed } from '@/base/provenance';
import styles from './provenance.module.css';

/** Marks provenance: a dotted underline with a hint for assumptions, a small mark for the site's contract or responses. */
export function Provenance({ of, children }: { of: ProvenanceStatement; children: ReactNode }) {
  const { t } = useTranslation();
  const hint = assumedHint(of, t);
  if (isAssumed(of)) {
    return (
      <Tooltip label={hint} multiline maw={320}>
        <span className={styles.assumed}>{children}</span>
      </Tooltip>
    );
  }
  if (of.provenance.level === 'site' || of.provenance.level === 'observed') {
    return (
      <Tooltip label={hint}>
        <span className={styles.site}>
          {children}
          <IconHome size={12} aria-label={hint} />
        </span>
      </Tooltip>
    );
  }
  return <>{children}</>;
}
