import { lazy } from 'react';

export const ContractPage = lazy(async () => ({ default: (await import('./ContractPage')).ContractPage }));
