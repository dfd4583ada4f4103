import { type RefObject, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';

import { showProblemNotice } from '@/components/notices/problemNotice';
import { showSavedNotice } from '@/components/notices/savedNotice';
import { commands } from '@/ipc/bindings';
import type { ChartHandle } from './ChartSurface';
import { type Board, rowsOf } from './boards/board';
import { zoomAround } from './chart/gestures';

type PictureAction = 'zoomIn' | 'zoomOut' | 'all' | 'now' | 'save' | 'print';

/** Returns the actions of the toolbar: zoom, navigation, export and print. `paper` is the picture to print. */
export function usePictureActions(chartHandle: RefObject<ChartHandle | null>, board: Board | null, label: string) {
  const { t } = useTranslation();
  const [paper, setPaper] = useState('');
  useEffect(() => {
    // The system's own print command fires this event too. The page must be rendered when the handler returns.
    const before = () => flushSync(() => setPaper(chartHandle.current?.png() ?? ''));
    const after = () => setPaper('');
    window.addEventListener('beforeprint', before);
    window.addEventListener('afterprint', after);
    return () => {
      window.removeEventListener('beforeprint', before);
      window.removeEventListener('afterprint', after);
    };
  }, [chartHandle]);

  const save = async () => {
    const png = chartHandle.current?.png().split(',')[1];
    if (!png) return;
    showSavedNotice(await commands.pictureSave(png, label.replaceAll(/[\\/:*?"<>|]+/gu, ' '), t('picture.saveTitle')));
  };
  const print = async () => {
    setPaper(chartHandle.current?.png() ?? '');
    // The page must be rendered before it is printed.
    await new Promise((done) => setTimeout(done, 150));
    await commands.windowPrint();
  };
  const act = (what: PictureAction) => {
    const surface = chartHandle.current;
    if (!surface || !board) return;
    const visiblePart = surface.visiblePart();
    const middle = (visiblePart.from + visiblePart.to) / 2;
    const length = visiblePart.to - visiblePart.from;
    if (what === 'zoomIn') surface.show(zoomAround(visiblePart, middle, 1 / 1.5));
    if (what === 'zoomOut') surface.show(zoomAround(visiblePart, middle, 1.5));
    if (what === 'all') surface.show({ ...board.range, row: 0, rows: Math.min(visiblePart.rows, rowsOf(board.lanes)) });
    if (what === 'now' && board.now !== null) surface.show({ ...visiblePart, from: board.now - length / 2, to: board.now + length / 2 });
    if (what === 'save') void save().catch(showProblemNotice);
    if (what === 'print') void print().catch(showProblemNotice);
  };
  return { act, paper };
}
