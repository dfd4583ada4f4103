import { useCallback, useEffect, useRef, useState } from 'react';

import { useImport } from '@/features/import-session';
import { type ImportView, commands } from '@/ipc/bindings';
import { useOtherSite, useImportSite } from './importSite';

export type SiteCheck = {
  /** Whether the site is being read. */
  busy: boolean;
  /** Whether the site is being read or is about to be read. Then the rows may still change. */
  isPending: boolean;
  /** Reads the site again, even if its data is already loaded. */
  refresh: () => void;
};

/** Checks the rows against the site's data, automatically once the sheet is mapped and you are signed in. */
export function useSiteCheck(view: ImportView): SiteCheck {
  const { fix, plan } = useImport();
  const site = useImportSite(view);
  const otherSite = useOtherSite(view);
  const [busy, setBusy] = useState(false);
  const startedCheck = useRef('');
  const [finishedCheck, setFinishedCheck] = useState('');
  const { id } = view;
  const read = useCallback(
    async (again: boolean, what = '') => {
      setBusy(true);
      await fix(commands.importCheckSite(id, again), 'program');
      setBusy(false);
      if (what) setFinishedCheck(what);
    },
    [id, fix],
  );
  const name = site?.signedIn && otherSite === null ? site.site.name : null;
  const neededCheck = pendingCheckKey(view, name);
  useEffect(() => {
    // The rows of a sent plan aren't checked again.
    if (!neededCheck || plan !== null || startedCheck.current === neededCheck) return;
    startedCheck.current = neededCheck;
    void read(false, neededCheck);
  }, [neededCheck, plan, read]);
  const isPending = busy || (neededCheck !== null && plan === null && finishedCheck !== neededCheck);
  return { busy, isPending, refresh: useCallback(() => void read(true), [read]) };
}

/** Returns a key of the data that must be read. Null if nothing must be read. */
function pendingCheckKey({ id, sheet, operation, sense }: ImportView, site: string | null): string | null {
  if (!sense.needed || site === null) return null;
  const open = sense.unchecked.filter((one) => one.reason === 'not-loaded' || one.reason === 'stale');
  if (sense.site === site && open.length === 0) return null;
  return [id, sheet, operation, site, ...open.map((one) => one.field)].join('\n');
}
