import { createContext, use, useEffect } from 'react';

import { type WindowView, commands } from '@/ipc/bindings';

const WindowViewContext = createContext<WindowView | null>(null);

export const WindowViewProvider = WindowViewContext.Provider;

/** Returns the initial view of a secondary window, null in the main window. */
export function useWindowView(): WindowView | null {
  return use(WindowViewContext);
}

/** Reports the current view of a secondary window, so that a request for that view finds it. Does nothing in the main window. */
export function useReportView(view: WindowView | null): void {
  const isSecondaryWindow = useWindowView() !== null;
  const serialized = view === null ? null : JSON.stringify(view);
  useEffect(() => {
    if (isSecondaryWindow && serialized !== null) commands.windowViewChange(JSON.parse(serialized) as WindowView).catch(() => undefined);
  }, [isSecondaryWindow, serialized]);
}
