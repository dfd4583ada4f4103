import { notifications } from '@mantine/notifications';
import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';

// What a real window has and jsdom doesn't.
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
  // jsdom lays nothing out, but an element's style costs it the theme's variables and every element around it.
  // So the variables are left out, and a grid, which measures its elements all the time, is told what they say themselves.
  Object.defineProperty(HTMLStyleElement.prototype, 'innerHTML', { value: '', writable: true });
  const computed = window.getComputedStyle;
  window.getComputedStyle = (element, pseudoElement) =>
    element instanceof HTMLElement && element.closest('.ag-root-wrapper') ? element.style : computed(element, pseudoElement);
}

// What comes at once on an idle computer takes longer on a busy one.
configure({ asyncUtilTimeout: 15_000 });
// All files share one page, and the notices on it.
afterEach(() => {
  cleanup();
  notifications.clean();
  notifications.cleanQueue();
});
