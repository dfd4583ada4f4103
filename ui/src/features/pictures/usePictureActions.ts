import { type RefObject, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';

import { showProblemNotice } from '@/components/notices/problemNotice';
import { showSavedNotice } from '@/components/notices/savedNotice';
import { commands } from '@/ipc/bindings';
import type { ChartHandle } from './ChartSurface';
import { type Board, rowsOf } from './boards/board';
import { zoomAround } from './chart/gestures';

type PictureActions = 'zoomIn' | 'zoomOut' | 'all' | 'now' | 'save' | 'print';

/** Returns the actions of the toolbar: zoom, navigation, export and print. `paper` is the picture to print. */
export function usePictureActions(grip: RefObject<ChartHandle | null>, board: Board | null, label: string) {
  const { t } = useTranslation();
  const [paper, setPaper] = useState('');
  useEffect(() => {
    // The system's own print command fires this event too. The page must be rendered when the handler returns.
    const before = () => flushSync(() => setPaper(grip.current?.png() ?? ''));
    const after = () => setPaper('');
    window.addEventListener('beforeprint', before);
    window.addEventListener('afterprint', after);
    return () => {
      window.removeEventListener('beforeprint', before);
      window.removeEventListener('afterprint', after);
    };
  }, [grip]);

  const save = async () => {
    const png = grip.current?.png().split(',')[1];
    if (!png) return;
    showSavedNotice(await commands.pictureSave(png, label.replaceAll(/[\\/:*?"<>|]+/gu, ' '), t('picture.saveTitle')));
  };
  const print = async () => {
    setPaper(grip.current?.png() ?? '');
    // The page must be rendered before it is printed.
    await new Promise((done) => setTimeout(done, 150));
    await commands.windowPrint();
  };
  const act = (what: PictureActions) => {
    const surface = grip.current;
    if (!surface || !board) return;
    const shown = surface.shown();
    const middle = (shown.from + shown.to) / 2;
    const length = shown.to - shown.from;
    if (what === 'zoomIn') surface.show(zoomAround(shown, middle, 1 / 1.5));
    if (what === 'zoomOut') surface.show(zoomAround(shown, middle, 1.5));
    if (what === 'all') surface.show({ ...board.ends, row: 0, rows: Math.min(shown.rows, rowsOf(board.lanes)) });
    if (what === 'now' && board.now !== null) surface.show({ ...shown, from: board.now - length / 2, to: board.now + length / 2 });
    if (what === 'save') void save().catch(showProblemNotice);
    if (what === 'print') void print().catch(showProblemNotice);
  };
  return { act, paper };
}
