import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useNavigation } from '@/base/navigation';
import { usePreferences } from '@/base/preferences';
import { nextZoom } from '@/base/values/zoom';
import { useWindowView } from '@/base/window/windowView';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { Dialog } from '@/components/page/Dialog';
import { usePageKeys } from '@/components/page/pageKeys';
import { useHelp } from '@/features/help';
import { commands } from '@/ipc/bindings';
import styles from './shortcuts.module.css';

/** Keyboard shortcuts by context. Each label is the locale key `shortcuts.keys.` plus the name. */
const SHORTCUT_GROUPS = [
  { name: 'everywhere', keys: ['search', 'back', 'forward', 'larger', 'smaller', 'plain', 'close', 'closeWindow', 'list'] },
  { name: 'import', keys: ['next', 'previous'] },
  { name: 'check', keys: ['pasteCells', 'copyCells', 'undo', 'redo', 'edit', 'clear', 'nextProblem', 'previousProblem', 'suggestions', 'extend', 'selectAll', 'edge', 'corners', 'fill', 'fillRight', 'find', 'replace', 'menu'] },
  { name: 'tables', keys: ['copy', 'all', 'first', 'last'] },
  { name: 'graphql', keys: ['run', 'suggest', 'document', 'errors', 'format', 'copyQuery', 'merge', 'findText', 'enterEditor', 'leaveEditor'] },
  { name: 'charts', keys: ['zoomIn', 'zoomOut', 'whole', 'now', 'pan'] },
] as const;

/** Lists all keyboard shortcuts. */
function ShortcutsDialog({ close }: { close: () => void }) {
  const { t } = useTranslation();
  const help = useHelp();
  const openHelp = () => {
    close();
    help.open('keyboard');
  };
  return (
    <Dialog title={t('shortcuts.title')} close={close} wide>
      <div className={styles.groups} data-testid="shortcuts">
        {SHORTCUT_GROUPS.map((group) => (
          <section key={group.name}>
            <h3>{t(`shortcuts.groups.${group.name}`)}</h3>
            <dl>
              {group.keys.map((key) => (
                <div key={key}>
                  <dt>
                    <kbd>{t(`shortcuts.keys.${key}.keys`)}</kbd>
                  </dt>
                  <dd>{t(`shortcuts.keys.${key}.does`)}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <Button variant="default" onClick={openHelp} data-testid="shortcuts-help">
        {t('help.open')}
      </Button>
    </Dialog>
  );
}

/**
 * Handles keys and mouse buttons that work on every page: back, forward, zoom and the list of shortcuts. A secondary window has
 * no list of shortcuts, but can be closed by key.
 */
export function WindowKeys() {
  const { back, forward } = useNavigation();
  const { preferences, changePreferences } = usePreferences();
  const isSecondaryWindow = useWindowView() !== null;
  const [isListOpen, setListOpen] = useState(false);
  useMouseButtons(back, forward);
  usePageKeys((event) => {
    const action = windowAction(event);
    if (!action || action === (isSecondaryWindow ? 'list' : 'closeWindow')) return;
    event.preventDefault();
    if (action === 'back') back?.();
    else if (action === 'forward') forward?.();
    else if (action === 'list') setListOpen(true);
    else if (action === 'closeWindow') commands.viewWindowClose().catch(showProblemNotice);
    else changePreferences({ zoom: action === 'plain' ? null : nextZoom(preferences.zoom, action === 'larger' ? 1 : -1) });
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
      // Prevents navigation in the web view's own history.
      event.preventDefault();
      if (event.button === BACK_BUTTON) latest.current.back?.();
      else latest.current.forward?.();
    };
    window.addEventListener('mouseup', handleButton);
    return () => window.removeEventListener('mouseup', handleButton);
  }, []);
}
