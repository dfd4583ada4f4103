import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useImport } from '@/features/import-session';
import { onFileDrop } from '@/ipc/fileDrop';
import styles from './drop.module.css';

/** A workbook may be dropped anywhere on the window. */
export function DropZone() {
  const { t } = useTranslation();
  const { open } = useImport();
  const [over, setOver] = useState(false);
  const latest = useRef(open);
  useEffect(() => {
    latest.current = open;
  }, [open]);
  // Listening takes a moment to begin: whoever listened anew at each change would miss what is dropped meanwhile.
  useEffect(
    () =>
      onFileDrop((drop) => {
        setOver(drop.kind === 'over');
        const [path] = drop.kind === 'dropped' ? drop.paths : [];
        if (path) void latest.current(path);
      }),
    [],
  );
  if (!over) return null;
  return (
    <div className={styles.over} role="status" data-testid="drop-over">
      <p>{t('import.dropHere')}</p>
    </div>
  );
}
