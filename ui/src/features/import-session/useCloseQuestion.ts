import { useEffect, useRef } from 'react';

import { commands, events } from '@/ipc/bindings';
import { listen } from '@/ipc/listen';
import { useImport } from './ImportProvider';
import { mayDiscard } from './discardQuestion';

/** The window closes once it may: its shell is told whether something would be lost, and asks back before it does. */
export function useCloseQuestion(): void {
  const { view, edited } = useImport();
  const latest = useRef({ view, edited });
  useEffect(() => {
    latest.current = { view, edited };
  }, [view, edited]);
  const unsent = view !== null && edited && !view.draft.kept;
  useEffect(() => {
    void commands.closeGuard(unsent).catch(() => undefined);
  }, [unsent]);
  useEffect(
    () =>
      listen(events.closeRequested, () => {
        void commands.closeAcknowledge().catch(() => undefined);
        void mayDiscard(latest.current).then((may) => (may ? commands.closeWindow() : null)).catch(() => undefined);
      }),
    [],
  );
}
