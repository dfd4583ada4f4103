import { Suspense, lazy } from 'react';

import { useHelp } from './HelpProvider';

/** Loaded when it is first opened. */
const OpenHelp = lazy(async () => ({ default: (await import('./OpenHelp')).OpenHelp }));

/** The help, beside the page that a person works on. */
export function HelpPanel() {
  const { page } = useHelp();
  return page !== undefined && <Suspense fallback={null}><OpenHelp page={page} /></Suspense>;
}
