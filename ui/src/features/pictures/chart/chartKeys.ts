import { type RefObject, useEffect, useRef } from 'react';

import { type Board, rowsOf } from '../boards/board';
import type { Shown } from './chartOption';
import { panBy, zoomAround } from './gestures';

type Pressed = { key: string; altKey: boolean; ctrlKey: boolean; metaKey: boolean; shiftKey: boolean };

/** Returns the visible part after a key, null if the key has no meaning here. */
export function shownAfterKey({ key, altKey, ctrlKey, metaKey, shiftKey }: Pressed, shown: Shown, board: Board, fits: number): Shown | null {
  if (altKey || ctrlKey || metaKey) return null;
  // As with the wheel, only a time axis is zoomed.
  const time = board.axis === 'time';
  const length = shown.to - shown.from;
  const middle = (shown.from + shown.to) / 2;
  if (time && (key === '+' || key === '=')) return zoomAround(shown, middle, 1 / 1.5);
  if (time && key === '-') return zoomAround(shown, middle, 1.5);
  if (key === '0') return { ...board.ends, row: 0, rows: Math.min(fits, rowsOf(board.lanes)) };
  if (key === 'n' && board.now !== null) return { ...shown, from: board.now - length / 2, to: board.now + length / 2 };
  if (key === 'PageUp') return panBy(shown, 0, -shown.rows);
  if (key === 'PageDown') return panBy(shown, 0, shown.rows);
  if (shiftKey && key === 'ArrowLeft') return panBy(shown, -length / 4, 0);
  if (shiftKey && key === 'ArrowRight') return panBy(shown, length / 4, 0);
  return null;
}

/** Listens for keys on an element. */
export function useKeys(frame: RefObject<HTMLElement | null>, pressed: (event: KeyboardEvent) => void): void {
  const now = useRef(pressed);
  useEffect(() => {
    now.current = pressed;
  });
  useEffect(() => {
    const box = frame.current;
    const handleKey = (event: KeyboardEvent) => now.current(event);
    box?.addEventListener('keydown', handleKey);
    return () => box?.removeEventListener('keydown', handleKey);
  }, [frame]);
}
