import { createContext, use, useEffect } from 'react';

import { type WindowView, commands } from '@/ipc/bindings';

const WindowViewContext = createContext<WindowView | null>(null);

export const WindowViewProvider = WindowViewContext.Provider;

/** What this window showed alone when it was opened; nothing in the main window. Who changes something does so there. */
export function useWindowView(): WindowView | null {
  return use(WindowViewContext);
}

/** Tells what this window shows now, so that who asks for that finds it here. Nothing is told in the main window. */
export function useShownView(shown: WindowView | null): void {
  const isAlone = useWindowView() !== null;
  const told = shown === null ? null : JSON.stringify(shown);
  useEffect(() => {
    if (isAlone && told !== null) commands.windowViewChange(JSON.parse(told) as WindowView).catch(() => undefined);
  }, [isAlone, told]);
}
