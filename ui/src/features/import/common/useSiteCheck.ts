import { useCallback, useEffect, useRef, useState } from 'react';

import { useImport } from '@/features/import-session';
import { type ImportView, commands } from '@/ipc/bindings';
import { useElsewhere, useImportSite } from './importSite';

export type SiteCheck = {
  /** True while the site is being read. */
  busy: boolean;
  /** True while the site is read, and from when that is sure to come: the rows may be others afterwards. */
  due: boolean;
  /** Reads the site anew, whatever is known of it. */
  again: () => void;
};

/** Holds the rows against what the import's site holds, by itself as soon as the sheet is mapped and somebody is signed in. */
export function useSiteCheck(view: ImportView): SiteCheck {
  const { fix, plan } = useImport();
  const site = useImportSite(view);
  const elsewhere = useElsewhere(view);
  const [busy, setBusy] = useState(false);
  const tried = useRef('');
  const [done, setDone] = useState('');
  const { id } = view;
  const read = useCallback(
    async (again: boolean, what = '') => {
      setBusy(true);
      await fix(commands.importCheckSite(id, again), 'program');
      setBusy(false);
      if (what) setDone(what);
    },
    [id, fix],
  );
  const name = site?.signedIn && elsewhere === null ? site.site.name : null;
  const needed = needsCheck(view, name);
  useEffect(() => {
    // What was sent belongs to the rows as they were then.
    if (!needed || plan !== null || tried.current === needed) return;
    tried.current = needed;
    void read(false, needed);
  }, [needed, plan, read]);
  const due = busy || (needed !== null && plan === null && done !== needed);
  return { busy, due, again: useCallback(() => void read(true), [read]) };
}

/** What is to be read, as a text that is the same for the same; nothing where all is known. */
function needsCheck({ id, sheet, operation, sense }: ImportView, site: string | null): string | null {
  if (!sense.needed || site === null) return null;
  const open = sense.unchecked.filter((one) => one.reason === 'not-loaded' || one.reason === 'stale');
  if (sense.site === site && open.length === 0) return null;
  return [id, sheet, operation, site, ...open.map((one) => one.field)].join('\n');
}
