import { lazy } from 'react';

export { useFaultsOn } from './common/usePlant';

/** Loaded when it is first opened. */
export const PlantPage = lazy(async () => ({ default: (await import('./PlantPage')).PlantPage }));
