import { lazy } from 'react';

export const OrderPage = lazy(async () => ({ default: (await import('./OrderPage')).OrderPage }));
