import { lazy } from 'react';

export { DropZone } from './start/DropZone';

/** Loaded when it is first opened. */
export const ImportPage = lazy(async () => ({ default: (await import('./ImportPage')).ImportPage }));
