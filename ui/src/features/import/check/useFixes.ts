import { useCallback, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { usePageKeys } from '@/components/page/pageKeys';
import { useImport } from '@/features/import-session';
import { type CellHelp, type Fix, type ImportView, commands } from '@/ipc/bindings';
import type { FocusedCell } from './cells/cellRange';

/** Locale keys for announcing a fix. */
type FixMessage = 'fix.changed' | 'fix.takenBack' | 'fix.filled' | 'fix.counted' | 'fix.pasted';

export type Fixes = {
  fix: (change: Fix, message?: FixMessage) => void;
  undo: () => void;
  redo: () => void;
  /** The last step's announcement for screen readers. */
  announcement: string;
  announce: (text: string) => void;
};

/** Applies, undoes and redoes fixes, and announces their results. */
export function useFixes(view: ImportView): Fixes {
  const { t } = useTranslation();
  const { fix } = useImport();
  const [announcement, setAnnouncement] = useState('');
  const { id } = view;
  const run = useCallback(
    async (step: Promise<ImportView>, key: FixMessage) => {
      const after = await fix(step);
      if (after) setAnnouncement(after.touched > 0 ? t(key, { count: after.touched }) : key === 'fix.takenBack' ? '' : t('fix.same'));
    },
    [fix, t],
  );
  return useMemo(
    () => ({
      fix: (change, message = 'fix.changed') => void run(commands.importFix(id, change), message),
      undo: () => void run(commands.importUndo(id), 'fix.takenBack'),
      redo: () => void run(commands.importRedo(id), 'fix.changed'),
      announcement,
      announce: setAnnouncement,
    }),
    [run, id, announcement],
  );
}

/** Handles Ctrl+Z and Ctrl+Y while no text is being edited. */
export function useFixKeys({ undo, redo }: Fixes): void {
  usePageKeys((event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    if (event.target instanceof HTMLElement && event.target.matches('input, textarea')) return;
    const key = event.key.toLowerCase();
    if (key !== 'z' && key !== 'y') return;
    event.preventDefault();
    if (key === 'y' || event.shiftKey) redo();
    else undo();
  });
}

const NO_HELP: CellHelp = { alike: 0, suggestions: [] };

/** Returns the suggestions for the focused cell. They are refetched after each fix. */
export function useCellHelp(view: ImportView, focused: FocusedCell | null): CellHelp {
  const [cellHelp, setCellHelp] = useState<{ view: ImportView; place: string; help: CellHelp } | null>(null);
  const row = focused?.row.row;
  const column = focused?.column;
  const place = `${row}·${column}`;
  useEffect(() => {
    if (row === undefined || column === undefined || column === null) return undefined;
    let isCurrent = true;
    commands.importCellHelp(view.id, row, column).then(
      (help) => {
        if (isCurrent) setCellHelp({ view, place: `${row}·${column}`, help });
      },
      // An error isn't shown, because the rows already show the findings.
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [view, row, column]);
  if (row === undefined || column === null || !cellHelp) return NO_HELP;
  // Until the response for this cell arrives, the previous count stays, so that buttons don't flicker.
  return cellHelp.view === view && cellHelp.place === place ? cellHelp.help : { alike: cellHelp.help.alike, suggestions: [] };
}
