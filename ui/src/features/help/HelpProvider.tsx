import { type ReactNode, createContext, use, useMemo, useState } from 'react';

type Help = {
  /** The open help page. Null shows the list of pages, and undefined hides the help. */
  page: string | null | undefined;
  open: (page: string | null) => void;
  close: () => void;
};

const HelpContext = createContext<Help | null>(null);

/** Stores which help page is open. */
export function HelpProvider({ children }: { children: ReactNode }) {
  const [page, setPage] = useState<string | null | undefined>(undefined);
  const help = useMemo(() => ({ page, open: setPage, close: () => setPage(undefined) }), [page]);
  return <HelpContext value={help}>{children}</HelpContext>;
}

export function useHelp(): Help {
  const help = use(HelpContext);
  if (!help) throw new Error('outside HelpProvider');
  return help;
}
