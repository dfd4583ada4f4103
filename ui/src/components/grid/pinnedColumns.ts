import type { GridApi } from 'ag-grid-community';

/** Marks a table that is scrolled horizontally, or is about to be. */
const scrolled = 'data-scrolled-horizontally';
const scrollbar = '.ag-body-horizontal-scroll';

/**
 * Pinned columns are sticky only while their table is scrolled horizontally: a sticky part is a layer of its own, two for each
 * row, which makes each frame slower. Returns what ends the watching.
 */
export function watchHorizontalScroll<T>(place: HTMLElement, api: GridApi<T>): () => void {
  const mark = (is: boolean) => place.toggleAttribute(scrolled, is);
  // The wheel and the scrollbar tell it before anything moves.
  const turned = ({ deltaX, deltaY, shiftKey }: WheelEvent) => {
    if (shiftKey || Math.abs(deltaX) > Math.abs(deltaY)) mark(true);
  };
  const pressed = ({ target }: PointerEvent) => {
    if (target instanceof Element && target.closest(scrollbar)) mark(true);
  };
  place.addEventListener('wheel', turned, { capture: true, passive: true });
  place.addEventListener('pointerdown', pressed, { capture: true, passive: true });
  api.addEventListener('bodyScroll', ({ left }) => {
    if (left > 0) mark(true);
  });
  api.addEventListener('bodyScrollEnd', ({ left }) => mark(left > 0));
  return () => {
    place.removeEventListener('wheel', turned, { capture: true });
    place.removeEventListener('pointerdown', pressed, { capture: true });
  };
}
