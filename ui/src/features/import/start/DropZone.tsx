import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useImport } from '@/features/import-session';
import { onFileDrop } from '@/ipc/fileDrop';
import styles from './drop.module.css';

/** Opens workbooks dropped anywhere on the window, and shows a hint while one hovers. */
export function DropZone() {
  const { t } = useTranslation();
  const { open, view } = useImport();
  const [over, setOver] = useState<string | null>(null);
  const latest = useRef(open);
  useEffect(() => {
    latest.current = open;
  }, [open]);
  // Listening starts asynchronously. Starting it again on each change would miss drops.
  useEffect(
    () =>
      onFileDrop((drop) => {
        setOver((now) => (drop.kind === 'over' ? (drop.paths ? fileNameOf(drop.paths) : (now ?? '')) : null));
        const [path] = drop.kind === 'dropped' ? drop.paths : [];
        if (path) void latest.current(path);
      }),
    [],
  );
  if (over === null) return null;
  return (
    <div className={styles.over} role="status" data-testid="drop-over">
      <p>{over ? t('import.dropFile', { file: over }) : t('import.dropHere')}</p>
      {view?.draft.kept && <p className={styles.stays}>{t('import.dropKeeps', { file: view.file })}</p>}
    </div>
  );
}

function fileNameOf(paths: readonly string[]): string {
  return paths[0]?.split(/[\\/]/u).at(-1) ?? '';
}
