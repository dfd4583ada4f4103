import { useEffect } from 'react';

import { useAppState, useSite } from '@/base/appState';
import { useImport } from '@/features/import-session';
import type { ImportView, SiteView } from '@/ipc/bindings';

/** Returns the import's site, undefined if that was removed. All import steps use this site instead of the selected site. */
export function useImportSite(view: ImportView): SiteView | undefined {
  const { data } = useAppState();
  return data?.sites.find(({ site }) => site.name === view.destination?.site);
}

/** Returns the selected site if it isn't the import's site, or else null. */
export function useOtherSite(view: ImportView): string | null {
  const chosen = useSite()?.site.name;
  return chosen !== undefined && chosen !== view.destination?.site ? chosen : null;
}

/** Moves the import to the selected site, unless it is bound to its site or its sent plan is shown. */
export function useMoveWithSite(view: ImportView): void {
  const { step, plan, moveTo } = useImport();
  const otherSite = useOtherSite(view);
  const sent = plan !== null && (step === 'send' || step === 'results');
  const offered = view.destination?.fixed || sent ? null : otherSite;
  useEffect(() => {
    if (offered !== null) void moveTo(offered);
  }, [offered, moveTo]);
}
