import { useEffect, useRef, useState } from 'react';

import { useNavigation } from '@/base/navigation';
import { usePreferences } from '@/base/preferences';
import { nextZoom } from '@/base/values/zoom';
import { useWindowView } from '@/base/window/windowView';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { usePageKeys } from '@/components/page/pageKeys';
import { commands } from '@/ipc/bindings';
import { ShortcutsDialog } from './ShortcutsDialog';

/**
 * Handles keys and mouse buttons that work on every page: back, forward, zoom and the list of shortcuts. A secondary window can
 * be closed by key, and has no such list.
 */
export function WindowKeys() {
  const { back, forward } = useNavigation();
  const { preferences, change } = usePreferences();
  const isAlone = useWindowView() !== null;
  const [isListOpen, setListOpen] = useState(false);
  useMouseButtons(back, forward);
  usePageKeys((event) => {
    const action = windowAction(event);
    if (!action || action === (isAlone ? 'list' : 'closeWindow')) return;
    event.preventDefault();
    if (action === 'back') back?.();
    else if (action === 'forward') forward?.();
    else if (action === 'list') setListOpen(true);
    else if (action === 'closeWindow') commands.viewWindowClose().catch(showProblemNotice);
    else change({ zoom: action === 'plain' ? null : nextZoom(preferences.zoom, action === 'larger' ? 1 : -1) });
  });
  return isListOpen && <ShortcutsDialog close={() => setListOpen(false)} />;
}

type WindowAction = 'back' | 'forward' | 'larger' | 'smaller' | 'plain' | 'list' | 'closeWindow';

function windowAction(event: KeyboardEvent): WindowAction | undefined {
  const { key, altKey } = event;
  const control = event.ctrlKey || event.metaKey;
  if (control && !altKey) {
    if (key === '+' || key === '=') return 'larger';
    if (key === '-') return 'smaller';
    if (key === 'w') return 'closeWindow';
    return key === '0' ? 'plain' : undefined;
  }
  if (key === 'F1') return 'list';
  if (control || isTextTarget(event.target)) return undefined;
  if (altKey && key === 'ArrowLeft') return 'back';
  if (altKey && key === 'ArrowRight') return 'forward';
  return key === '?' && !altKey ? 'list' : undefined;
}

/** Whether keys pressed on the target enter text. */
function isTextTarget(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.matches('input, textarea, [contenteditable="true"]') || target.closest('[data-testid="grid-check"]') !== null;
}

const BACK_BUTTON = 3;
const FORWARD_BUTTON = 4;

function useMouseButtons(back: (() => void) | undefined, forward: (() => void) | undefined): void {
  const latest = useRef({ back, forward });
  useEffect(() => {
    latest.current = { back, forward };
  }, [back, forward]);
  useEffect(() => {
    const handleButton = (event: MouseEvent) => {
      if (event.button !== BACK_BUTTON && event.button !== FORWARD_BUTTON) return;
      // The web view's own history isn't used.
      event.preventDefault();
      if (event.button === BACK_BUTTON) latest.current.back?.();
      else latest.current.forward?.();
    };
    window.addEventListener('mouseup', handleButton);
    return () => window.removeEventListener('mouseup', handleButton);
  }, []);
}
