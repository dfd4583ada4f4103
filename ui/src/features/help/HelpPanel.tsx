import { Suspense, lazy } from 'react';

import { useHelp } from './HelpProvider';

const HelpContent = lazy(async () => ({ default: (await import('./HelpContent')).HelpContent }));

/** The help next to the page, if it is open. */
export function HelpPanel() {
  const { page } = useHelp();
  return page !== undefined && <Suspense fallback={null}><HelpContent page={page} /></Suspense>;
}
