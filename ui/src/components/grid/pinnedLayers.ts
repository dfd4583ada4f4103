import type { GridApi } from 'ag-grid-community';

/** Marks a table whose pinned columns have to stay in sight. */
const sideways = 'data-sideways';
const scrollbar = '.ag-body-horizontal-scroll';

/**
 * Pinned columns stay in sight by themselves only while a table is scrolled sideways, or is about to be. What stays in sight
 * is drawn in layers of its own, two for each row, which makes every frame dearer; mostly a table isn't scrolled sideways.
 * Gives what ends it.
 */
export function followSidewaysScroll<T>(place: HTMLElement, api: GridApi<T>): () => void {
  const mark = (is: boolean) => {
    if (place.hasAttribute(sideways) !== is) place.toggleAttribute(sideways, is);
  };
  // Who turns the wheel or takes the bar is seen before anything moves.
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
