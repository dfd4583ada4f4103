/** Marks a table that is scrolled horizontally, or is about to be. */
const scrolledMark = 'data-scrolled-horizontally';
const scrollbar = '.ag-body-horizontal-scroll';
const viewport = '.ag-grid-viewport';

/**
 * Pinned columns are sticky only while their table is scrolled horizontally: a sticky part is a layer of its own, two for each
 * row, which makes each frame slower. Returns what ends the watching.
 */
export function watchHorizontalScroll(place: HTMLElement): () => void {
  const mark = (isScrolled: boolean) => place.toggleAttribute(scrolledMark, isScrolled);
  // The wheel and the scrollbar tell it before anything moves.
  const wheelTurned = ({ deltaX, deltaY, shiftKey }: WheelEvent) => {
    if (shiftKey || Math.abs(deltaX) > Math.abs(deltaY)) mark(true);
  };
  const pressed = ({ target }: PointerEvent) => {
    if (target instanceof Element && target.closest(scrollbar)) mark(true);
  };
  // The grid's own events leave out a movement that comes while its scrollbar still moves.
  const scrolled = ({ target }: Event) => {
    if (target instanceof Element && target.matches(viewport)) mark(target.scrollLeft > 0);
  };
  place.addEventListener('wheel', wheelTurned, { capture: true, passive: true });
  place.addEventListener('pointerdown', pressed, { capture: true, passive: true });
  place.addEventListener('scroll', scrolled, { capture: true, passive: true });
  return () => {
    place.removeEventListener('wheel', wheelTurned, { capture: true });
    place.removeEventListener('pointerdown', pressed, { capture: true });
    place.removeEventListener('scroll', scrolled, { capture: true });
  };
}
