import { type RefObject, useEffect, useRef } from 'react';

import { isCovered } from './pageKeys';

/** A panel beside the page takes the focus when it opens, gives it back when it closes, and closes by Escape. */
export function usePanel<T extends HTMLElement>(close: () => void): RefObject<T | null> {
  const panel = useRef<T>(null);
  const ending = useRef(close);
  useEffect(() => {
    ending.current = close;
  }, [close]);
  useEffect(() => {
    const { current } = panel;
    if (!current) return undefined;
    const before = document.activeElement;
    current.focus();
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || isCovered()) return;
      event.preventDefault();
      ending.current();
    };
    current.addEventListener('keydown', press);
    return () => {
      current.removeEventListener('keydown', press);
      // Where the focus has gone elsewhere meanwhile, it stays there.
      const lost = document.activeElement === document.body || current.contains(document.activeElement);
      if (lost && before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return panel;
}
