import { useEffect } from 'react';

import { useAppState, useSite } from '@/base/appState';
import { useImport } from '@/features/import-session';
import type { ImportView, SiteView } from '@/ipc/bindings';

/** The site that an import is for, as the engine has it. The steps of an import know no other. */
export function useImportSite(view: ImportView): SiteView | undefined {
  const { data } = useAppState();
  return data?.sites.find(({ site }) => site.name === view.destination?.site);
}

/** The site that the window is at, where the import is for another one. */
export function useElsewhere(view: ImportView): string | null {
  const chosen = useSite()?.site.name;
  return chosen !== undefined && chosen !== view.destination?.site ? chosen : null;
}

/** An import goes with the window's site, unless it is held to its own or its rows are on their way. */
export function useMoveWithSite(view: ImportView): void {
  const { step, plan, moveTo } = useImport();
  const elsewhere = useElsewhere(view);
  const sent = plan !== null && (step === 'send' || step === 'results');
  const offered = view.destination?.fixed || sent ? null : elsewhere;
  useEffect(() => {
    if (offered !== null) void moveTo(offered);
  }, [offered, moveTo]);
}
