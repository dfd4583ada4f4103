import { useEffect, useRef } from 'react';

/** What stands over the page, or is open in it, and has the keys until it is closed. */
const over = '[aria-modal="true"], [role="menu"], [role="listbox"], [aria-expanded="true"]:not(input)';

/** True while a menu, a list of choices or a dialog is open. */
export function isCovered(): boolean {
  return [...document.querySelectorAll<HTMLElement>(over)].some((one) => !one.closest('[style*="display: none"]'));
}

/**
 * Keys of the page as a whole. A key belongs to what was open when it went down: a menu that Escape closes is gone once the key has come
 * to the document, so this is looked at before anybody else hears the key.
 */
export function usePageKeys(press: (event: KeyboardEvent) => void): void {
  const latest = useRef(press);
  useEffect(() => {
    latest.current = press;
  }, [press]);
  useEffect(() => {
    let covered = false;
    const look = () => {
      covered = isCovered();
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
