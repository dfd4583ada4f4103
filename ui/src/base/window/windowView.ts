import { createContext, use, useEffect } from 'react';

import { type WindowView, commands } from '@/ipc/bindings';

const WindowViewContext = createContext<WindowView | null>(null);

export const WindowViewProvider = WindowViewContext.Provider;

/** Returns the initial view of a secondary window, null in the main window. */
export function useWindowView(): WindowView | null {
  return use(WindowViewContext);
}

/** Reports the current view of a secondary window, so that a request for that view finds it. Does nothing in the main window. */
export function useShownView(shown: WindowView | null): void {
  const isAlone = useWindowView() !== null;
  const serialized = shown === null ? null : JSON.stringify(shown);
  useEffect(() => {
    if (isAlone && serialized !== null) commands.windowViewChange(JSON.parse(serialized) as WindowView).catch(() => undefined);
  }, [isAlone, serialized]);
}
