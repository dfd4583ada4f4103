import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { useSite } from '@/base/appState';
import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { type Arrangement, type MovedBar, type Operation, type Picture, type PictureView, type Problem, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { alertBoard } from './boards/alertBoard';
import { barsBoard } from './boards/barBoard';
import type { Board } from './boards/board';
import { type Conflict, conflictsOf } from './boards/conflicts';
import { planBoard } from './boards/planBoard';
import { weekBoard } from './boards/weekBoard';
import type { TextFormats } from './itemText';
import { type PlacedMoves, placeMoves } from './useMoves';

/** The set whose rows are drawn, its number of rows, and the table's sorting, filters and search. */
export type Drawing = { set: number; rows: number; arrangement: Arrangement };

type LoadedPicture = { view: PictureView | null; board: Board | null; problem: Problem | null; moves: PlacedMoves; conflicts: readonly Conflict[] };

const MINUTE = 60_000;

/** Loads a picture's data from the engine and builds the board. */
export function usePicture(operation: Operation, picture: Picture, by: number, drawing: Drawing, steps: readonly MovedBar[]): LoadedPicture {
  const { t } = useTranslation();
  const site = useSite()?.site.name;
  const { draw } = picture;
  const { data, error } = useQuery({
    queryKey: queryKeys.picture(drawing, picture.id, by),
    queryFn: () => commands.browsePicture(drawing.set, { picture: picture.id, by }, drawing.arrangement),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  // If the stations' calendar can't be read, the picture is drawn without it.
  const { data: calendar } = useQuery({
    queryKey: queryKeys.pictureCalendar(site, operation.id, picture.id),
    queryFn: () => commands.pictureCalendar(operation.id, picture.id),
    enabled: draw.kind === 'plan' && draw.calendar !== null,
    staleTime: 10 * MINUTE,
    retry: false,
  });
  const moves = useMemo(() => placeMoves(data?.drawn.shape === 'spans' ? data.drawn : null, steps), [data, steps]);
  const week = calendar?.drawn.shape === 'week' ? calendar.drawn : null;
  const conflicts = useMemo(
    () => (data?.drawn.shape === 'spans' ? conflictsOf(data.drawn, week, moves.byPosition, data.now * 1000) : []),
    [data, week, moves],
  );
  const board = useMemo(() => {
    if (!data) return null;
    const now = data.now * 1000;
    const { drawn } = data;
    if (drawn.shape === 'bars') return barsBoard(drawn, draw.kind, t('picture.none'));
    if (drawn.shape === 'week') return weekBoard(drawn, now);
    if (draw.kind === 'alerts') return alertBoard(drawn, now, t('picture.none'));
    return planBoard(drawn, now, week, moves.byPosition, { none: t('picture.none'), standing: (standing) => t(`picture.standing.${standing}`) });
  }, [data, draw.kind, week, moves, t]);
  return { view: data ?? null, board, problem: error ? toProblem(error) : null, moves, conflicts };
}

export function useTextFormats(): TextFormats {
  const { t } = useTranslation();
  const { decimal, duration, serviceTime, weekday, name } = useFormats();
  return useMemo(() => ({ t, number: decimal, duration, serviceTime, weekday, name }), [t, decimal, duration, serviceTime, weekday, name]);
}
