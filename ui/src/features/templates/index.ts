import { lazy } from 'react';

export { TemplateReadingProvider } from './ids/TemplateReadingProvider';
export { AffectedOrders } from './links/AffectedOrders';

/** Loaded when it is first opened. */
export const TemplatesPage = lazy(async () => ({ default: (await import('./TemplatesPage')).TemplatesPage }));
