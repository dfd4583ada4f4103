import { lazy } from 'react';

/** Loaded when it is first opened. */
export const OrderPage = lazy(async () => ({ default: (await import('./OrderPage')).OrderPage }));
