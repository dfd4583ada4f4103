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
}

// What comes at once on an idle computer takes longer on a busy one.
configure({ asyncUtilTimeout: 5000 });
afterEach(cleanup);
