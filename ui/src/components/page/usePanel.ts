import { type RefObject, useEffect, useRef } from 'react';

import { hasOpenOverlay } from './pageKeys';

/** Focuses a panel when it opens, restores the focus when it closes, and closes it on Escape. */
export function usePanel<T extends HTMLElement>(close: () => void): RefObject<T | null> {
  const panel = useRef<T>(null);
  const latestClose = useRef(close);
  useEffect(() => {
    latestClose.current = close;
  }, [close]);
  useEffect(() => {
    const { current } = panel;
    if (!current) return undefined;
    const before = document.activeElement;
    current.focus();
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || hasOpenOverlay()) return;
      event.preventDefault();
      latestClose.current();
    };
    current.addEventListener('keydown', press);
    return () => {
      current.removeEventListener('keydown', press);
      // If the user has moved the focus elsewhere, it isn't restored.
      const lost = document.activeElement === document.body || current.contains(document.activeElement);
      if (lost && before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return panel;
}
