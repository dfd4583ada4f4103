import type { SpotlightActionGroupData } from '@mantine/spotlight';
import { type KeyboardEvent, useEffect, useRef } from 'react';

const actions = '.mantine-Spotlight-actionsList [data-action]';

/**
 * What the site is asked for comes after the palette chose its first line: then it is the first. Whoever pressed Enter meanwhile
 * gets it opened.
 */
export function useLateMatch(query: string, found: readonly SpotlightActionGroupData[]): (event: KeyboardEvent<HTMLInputElement>) => void {
  const awaited = useRef<string | null>(null);
  const hasMatch = found.some((group) => group.actions.length > 0);
  useEffect(() => {
    if (!hasMatch) return;
    const lines = [...document.querySelectorAll<HTMLElement>(actions)];
    const [first] = lines;
    if (first && !lines.some((line) => 'selected' in line.dataset)) first.dataset['selected'] = 'true';
    const isAwaited = awaited.current === query;
    awaited.current = null;
    if (isAwaited) first?.click();
  }, [hasMatch, query]);
  return (event) => {
    if (event.key === 'Enter' && document.querySelector(actions) === null) awaited.current = query;
  };
}
