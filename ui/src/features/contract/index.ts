import { lazy } from 'react';

/** Loaded when it is first opened. */
export const ContractPage = lazy(async () => ({ default: (await import('./ContractPage')).ContractPage }));
