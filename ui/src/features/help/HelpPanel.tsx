import { Suspense, lazy } from 'react';

import { useHelp } from './HelpProvider';

const OpenHelp = lazy(async () => ({ default: (await import('./OpenHelp')).OpenHelp }));

/** The help next to the page, if it is open. */
export function HelpPanel() {
  const { page } = useHelp();
  return page !== undefined && <Suspense fallback={null}><OpenHelp page={page} /></Suspense>;
}
