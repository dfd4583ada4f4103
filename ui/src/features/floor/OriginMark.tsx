import { useTranslation } from 'react-i18next';

import { type Origin, type Origins, originOf } from './origin';

/** States where the orders and alerts below are from. Events are the usual origin, so they need no words. */
export function OriginLine({ origins: { common, differ } }: { origins: Origins }) {
  const { t } = useTranslation();
  if (common === 'event') return null;
  return <span data-testid="floor-origin">{t(differ ? 'floorNow.mostFromService' : 'floorNow.allFromService')}</span>;
}

/** Marks an order or alert whose origin differs from the common one. */
export function OriginMark({ item, common }: { item: { event: number | null }; common: Origin }) {
  const { t } = useTranslation();
  const origin = originOf(item);
  if (origin === common) return null;
  return <span className="muted">{t(origin === 'service' ? 'floorNow.fromService' : 'floorNow.fromEvent')}</span>;
}
