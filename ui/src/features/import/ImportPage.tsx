import { lazy, useEffect } from 'react';

import { useImport } from '@/features/import-session';
import { OpeningPage } from './file/OpeningPage';
import { StartPage } from './start/StartPage';

const loadSteps = () => import('./ImportSteps');

/** Their grids are large, and the window starts without a file. */
const ImportSteps = lazy(async () => ({ default: (await loadSteps()).ImportSteps }));

/** From a file to each row's result, step by step. */
export function ImportPage() {
  const { view, opening, stop } = useImport();
  const isOpening = opening !== null;
  // While the file is read, what shows it is loaded.
  useEffect(() => {
    if (isOpening) void loadSteps();
  }, [isOpening]);
  if (opening) return <OpeningPage opening={opening} stop={stop} />;
  return view ? <ImportSteps view={view} /> : <StartPage />;
}
