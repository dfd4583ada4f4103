import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { ImportView } from '@/ipc/bindings';
import type { Fixes } from './useFixes';
import styles from './check.module.css';

/** Cells that the file merges over several rows, and the one click that gives each row its own. */
export function MergedCellsNote({ view, fixes }: { view: ImportView; fixes: Fixes }) {
  const { t } = useTranslation();
  const { cells, columns } = view.reading.merged;
  if (cells === 0) return null;
  return (
    <p className={styles.offer} role="status" data-testid="merged">
      <span>{t('fix.merged.say', { columns: columns.join(', ') })}</span>
      <Button size="compact-sm" variant="default" onClick={() => fixes.fix({ kind: 'fill-merged' })} data-testid="fill-merged">
        {t('fix.merged.fill', { count: cells })}
      </Button>
    </p>
  );
}
