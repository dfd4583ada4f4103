import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useNavigation } from '../../app/navigation';
import { useFormats } from '../../app/useFormats';
import { PageFrame } from '../../components/PageFrame';
import { EventGrid } from './EventGrid';
import { EventPanel } from './EventPanel';
import type { TabProps } from './tabs';

/** Every event, newest first; one of them with everything that is known about it. */
export function ListTab({ title, actions, place }: TabProps) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { go } = useNavigation();
  const [total, setTotal] = useState<number | null>(null);
  const open = useCallback((event?: number) => go({ ...place, event }), [go, place]);
  return (
    <PageFrame
      title={title}
      action={actions}
      status={total !== null && <span className="number">{t('inbox.count', { count: total, shown: number(total) })}</span>}
      edge
    >
      <EventGrid open={open} onTotal={setTotal} />
      {place.event !== undefined && <EventPanel id={place.event} close={() => open()} />}
    </PageFrame>
  );
}
