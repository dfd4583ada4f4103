import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useImport } from '@/features/import-session';
import { onFileDrop } from '@/ipc/fileDrop';
import styles from './drop.module.css';

/** A workbook may be dropped anywhere on the window. */
export function DropZone() {
  const { t } = useTranslation();
  const { open } = useImport();
  const [over, setOver] = useState(false);
  useEffect(
    () =>
      onFileDrop((drop) => {
        setOver(drop.kind === 'over');
        const [path] = drop.kind === 'dropped' ? drop.paths : [];
        if (path) void open(path);
      }),
    [open],
  );
  if (!over) return null;
  return (
    <div className={styles.over} role="status" data-testid="drop-over">
      <p>{t('import.dropHere')}</p>
    </div>
  );
}
