import { useEffect, useRef } from 'react';

/** Selects open overlays that handle the keys until they are closed. */
const OVERLAY_SELECTOR = '[aria-modal="true"], [role="menu"], [role="listbox"], [aria-expanded="true"]:not(input)';

/** Whether a menu, list box or dialog is open. */
export function hasOpenOverlay(): boolean {
  return [...document.querySelectorAll<HTMLElement>(OVERLAY_SELECTOR)].some((one) => !one.closest('[style*="display: none"]'));
}

/**
 * Handles keys of the whole page, unless an overlay is open. Escape removes a menu before the key reaches the document, so
 * overlays are checked in the capture phase.
 */
export function usePageKeys(onKey: (event: KeyboardEvent) => void): void {
  const latest = useRef(onKey);
  useEffect(() => {
    latest.current = onKey;
  }, [onKey]);
  useEffect(() => {
    let covered = false;
    const look = () => {
      covered = hasOpenOverlay();
    };
    const handleKey = (event: KeyboardEvent) => {
      if (!covered && !event.defaultPrevented) latest.current(event);
    };
    window.addEventListener('keydown', look, true);
    document.addEventListener('keydown', handleKey);
    return () => {
      window.removeEventListener('keydown', look, true);
      document.removeEventListener('keydown', handleKey);
    };
  }, []);
}
