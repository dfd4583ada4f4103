import { lazy, useEffect } from 'react';

import { useImport } from '@/features/import-session';
import { OpeningPage } from './file/OpeningPage';
import { StartPage } from './start/StartPage';

const loadSteps = () => import('./ImportSteps');

/** The grids are large and the window starts without a file, so the steps are loaded on demand. */
const ImportSteps = lazy(async () => ({ default: (await loadSteps()).ImportSteps }));

/** The import page, from opening a file to the results. */
export function ImportPage() {
  const { view, opening, cancelReading } = useImport();
  const isOpening = opening !== null;
  // The steps are loaded while the file is read.
  useEffect(() => {
    if (isOpening) void loadSteps();
  }, [isOpening]);
  if (opening) return <OpeningPage opening={opening} stop={cancelReading} />;
  return view ? <ImportSteps view={view} /> : <StartPage />;
}
