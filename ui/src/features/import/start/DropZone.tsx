import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useImport } from '@/features/import-session';
import { onFileDrop } from '@/ipc/fileDrop';
import styles from './drop.module.css';

/** Opens workbooks dropped anywhere on the window, and shows a hint while one hovers. */
export function DropZone() {
  const { t } = useTranslation();
  const { openFile, view } = useImport();
  const [hoveredFile, setHoveredFile] = useState<string | null>(null);
  const latest = useRef(openFile);
  useEffect(() => {
    latest.current = openFile;
  }, [openFile]);
  // Listening starts asynchronously. Starting it again on each change would miss drops.
  useEffect(
    () =>
      onFileDrop((drop) => {
        setHoveredFile((now) => (drop.kind === 'over' ? (drop.paths ? fileNameOf(drop.paths) : (now ?? '')) : null));
        const [path] = drop.kind === 'dropped' ? drop.paths : [];
        if (path) void latest.current(path);
      }),
    [],
  );
  if (hoveredFile === null) return null;
  return (
    <div className={styles.over} role="status" data-testid="drop-over">
      <p>{hoveredFile ? t('import.dropFile', { file: hoveredFile }) : t('import.dropHere')}</p>
      {view?.draft.kept && <p className={styles.stays}>{t('import.dropKeeps', { file: view.file })}</p>}
    </div>
  );
}

function fileNameOf(paths: readonly string[]): string {
  return paths[0]?.split(/[\\/]/u).at(-1) ?? '';
}
