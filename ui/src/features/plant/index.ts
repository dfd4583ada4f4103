import { lazy } from 'react';

export { useFaultsOn } from './common/usePlant';

export const PlantPage = lazy(async () => ({ default: (await import('./PlantPage')).PlantPage }));
