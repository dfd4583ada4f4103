import { notifications } from '@mantine/notifications';
import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';

// APIs of a real window that jsdom lacks.
if (typeof window !== 'undefined') {
  window.matchMedia = (query: string) => ({
    matches: false,
    media: query,
    onchange: null,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    addListener: () => undefined,
    removeListener: () => undefined,
    dispatchEvent: () => false,
  });
  window.ResizeObserver = class {
    observe(): void {}
    unobserve(): void {}
    disconnect(): void {}
  };
  Element.prototype.scrollIntoView = () => undefined;
  // jsdom has no layout, and computing a style with the theme's variables is slow. So the styles are omitted, and computed styles
  // come from the element's own style.
  Object.defineProperty(HTMLStyleElement.prototype, 'innerHTML', { value: '', writable: true });
  const computed = window.getComputedStyle;
  window.getComputedStyle = (element, pseudoElement) =>
    element instanceof HTMLElement && element.closest('.ag-root-wrapper') ? element.style : computed(element, pseudoElement);
}

// Elements may take longer to appear on a busy computer.
configure({ asyncUtilTimeout: 15_000 });
// Test files share one page, so its notices must be removed.
afterEach(() => {
  cleanup();
  notifications.clean();
  notifications.cleanQueue();
});
