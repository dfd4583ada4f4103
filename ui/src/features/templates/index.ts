import { lazy } from 'react';

export { TemplateReadingProvider } from './ids/TemplateReadingProvider';
export { AffectedOrders } from './links/AffectedOrders';

export const TemplatesPage = lazy(async () => ({ default: (await import('./TemplatesPage')).TemplatesPage }));
