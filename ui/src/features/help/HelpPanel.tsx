import { Suspense, lazy } from 'react';

import { useHelp } from './HelpProvider';

const OpenHelp = lazy(async () => ({ default: (await import('./OpenHelp')).OpenHelp }));

/** The help panel next to the page. */
export function HelpPanel() {
  const { page } = useHelp();
  return page !== undefined && <Suspense fallback={null}><OpenHelp page={page} /></Suspense>;
}
