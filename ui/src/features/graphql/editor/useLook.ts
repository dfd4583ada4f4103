import { useSyncExternalStore } from 'react';

/** The look that the document has by now: light, dark or contrast. Its tokens can be read. */
export function useLook(): string {
  return useSyncExternalStore(watch, () => document.documentElement.dataset.look ?? '');
}

function watch(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ['data-look'] });
  return () => observer.disconnect();
}
